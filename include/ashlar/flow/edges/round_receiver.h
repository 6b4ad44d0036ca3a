// SPDX-License-Identifier: Apache-2.0
// The input of a node that counts messages: what makes a round, and its graph.
#pragma once

#include <ashlar/flow/edges/counting_receiver.h>
#if ASHLAR_CLASSIC_DIALECT
#include <ashlar/flow/edges/continue_receiver.h>
#endif

ASHLAR_FLOW_PARTS

#if ASHLAR_CLASSIC_DIALECT
// Programs may take a node for one. Messages take the way of receive(); that of try_put_task() and execute() is for
// classes of the program that are derived from a node.
using round_counter = tbb::flow::continue_receiver;
#else
using round_counter = counting_receiver<node_receiver<continue_msg> >;
#endif

class round_receiver : public round_counter {
 protected:
  round_receiver(graph& g, int predecessors) noexcept : round_counter(predecessors), graph_(&g) {}
  ~round_receiver() override = default;

  graph& graph_reference() const override { return *graph_; }
  graph_core& core() const noexcept { return graph_->core(); }
  int awaited() const noexcept { return rounds_.expected(); }
  // A message has come. Unless it is `counted`, the round is complete, and the next one has begun.
  using turn = rounds::turn;
  ASHLAR_ALWAYS_INLINE turn arrive() noexcept { return rounds_.arrive(); }
  // Under a lock.
  void hold_round() noexcept { rounds_.hold(); }
  bool arrive_exactly() noexcept { return rounds_.arrive_exactly(); }
  void describe_rounds(picture& to, char const* name = nullptr) {
    to.input(static_cast<receiver<continue_msg>*>(this), picture::input_kind::takes_all, name);
    rounds_.describe(to);
  }

 private:
  graph* const graph_;
};

ASHLAR_FLOW_PARTS_END
