// SPDX-License-Identifier: Apache-2.0
// The part of a receiver of continue_msg that knows how many predecessors make a round: each edge to it adds one.
#pragma once

#include <ashlar/flow/rounds.h>
#include <ashlar/flow/sender.h>

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

class round_receiver : public node_receiver<continue_msg> {
 public:
  bool register_predecessor(predecessor_type&) override {
    rounds_.expect_one_more();
    return true;
  }
  bool remove_predecessor(predecessor_type&) override {
    rounds_.expect_one_less();
    return true;
  }
  bool counts_predecessors() const noexcept final { return true; }
  bool may_pull() const noexcept final { return false; }

 protected:
  // `predecessors`: beside those that edges add.
  round_receiver(graph& g, int predecessors) noexcept : graph_(&g), rounds_(predecessors), initial_(predecessors) {}
  ~round_receiver() override = default;

  graph& graph_reference() const override { return *graph_; }
  ::ashlar::flow::graph_core& core() const noexcept { return graph_->core(); }
  int initial_count() const noexcept { return initial_; }
  int awaited() const noexcept { return rounds_.expected(); }
  // A message has come. Unless it is `counted`, the round is complete, and the next one has begun.
  using turn = ::ashlar::flow::rounds::turn;
  ASHLAR_ALWAYS_INLINE turn arrive() noexcept { return rounds_.arrive(); }
  // Under a lock.
  void hold_round() noexcept { rounds_.hold(); }
  bool arrive_exactly() noexcept { return rounds_.arrive_exactly(); }
  // The round begins again.
  void reset_rounds(reset_flags f) noexcept {
    if ((f & rf_clear_edges) != 0) rounds_.restart(initial_);
    rounds_.restart();
  }
  void describe_rounds(::ashlar::flow::picture& to, char const* name = nullptr) {
    to.input(static_cast<receiver<continue_msg>*>(this), ::ashlar::flow::picture::input_kind::takes_all, name);
    rounds_.describe(to);
  }

 private:
  graph* const graph_;
  ::ashlar::flow::rounds rounds_;
  int const initial_;
};

ASHLAR_FLOW_HOME_END
}  // namespace flow
}  // namespace tbb
