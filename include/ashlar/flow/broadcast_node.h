// SPDX-License-Identifier: Apache-2.0
// tbb::flow::broadcast_node. Users include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/flow/activation.h>
#include <ashlar/flow/node_output.h>

namespace tbb {
namespace flow {
ASHLAR_HOME(11)

// Hands a message on within the put, or, on a deep stack, as a job.
template <typename T>
class relay : public node_receiver<T> {
 protected:
  using job = ::ashlar::sched::job;
  using slot = ::ashlar::sched::slot;
  using passage = ::ashlar::flow::passage;
  using work = ::ashlar::flow::message_activation<relay, T>;
  friend work;

 public:
  using predecessor_type = sender<T>;

  job* receive(T& v, passage p) final {
    if (ASHLAR_UNLIKELY(!::ashlar::flow::call_scope::has_room())) {
      return &work::make(::ashlar::sched::this_slot(), *this, v, p);
    }
    ::ashlar::flow::call_scope const deeper;
    job* const answer = hand_on(v, p);
    return answer != nullptr ? answer : ::ashlar::flow::accepted();
  }
  bool may_pull() const noexcept final { return false; }

 protected:
  explicit relay(graph& g) noexcept : graph_(&g) {}
  ~relay() override = default;
  virtual job* hand_on(T& v, passage p) = 0;
  graph& graph_reference() const final { return *graph_; }
  ::ashlar::flow::graph_core& core() const noexcept { return graph_->core(); }

 private:
  job* activate(slot& here, work& a) noexcept {
    ::ashlar::flow::graph_core& g = core();
    job* next = nullptr;
    ASHLAR_TRY {
      if (!g.cancelled(here)) next = receive(a.value(), passage::moved(a.token));
    }
    ASHLAR_CATCH_ALL { g.fail(); }
    a.drop();
    work::end(here, a);
    return ::ashlar::flow::pass_on(g, here, next);
  }
  graph* const graph_;
};

// Sends each message to all successors. It keeps none: what a successor refuses is lost to it.
template <typename T>
class broadcast_node : public graph_node, public relay<T>, public node_output<T> {
 public:
  using input_type = T;
  using output_type = T;
  using predecessor_type = sender<T>;
  using successor_type = receiver<T>;

  explicit broadcast_node(graph& g) : graph_node(g), relay<T>(g), node_output<T>(g.core()) {}
  broadcast_node(broadcast_node const& other) : broadcast_node(other.my_graph) {}
  ~broadcast_node() override { this->let_activations_end(); }

 private:
  ::ashlar::sched::job* hand_on(T& v, ::ashlar::flow::passage p) final { return this->broadcast(v, p); }
  void reset_node(reset_flags f) override {
    if ((f & rf_clear_edges) != 0) this->clear_successors();
  }
};

ASHLAR_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, broadcast_node)
}  // namespace flow
}  // namespace tbb
