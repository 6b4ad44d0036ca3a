// SPDX-License-Identifier: Apache-2.0
// tbb::flow::continue_node. Users include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/flow/edges/node_output.h>
#include <ashlar/flow/edges/node_set.h>
#include <ashlar/flow/engine/living_node.h>
#include <ashlar/flow/work/continue_input.h>
#include <ashlar/flow/work/function_body.h>

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// Calls its body when each predecessor has sent a message, and sends what the body returns to all successors. The
/// number of predecessors is that of the edges, and what the constructor was given in addition. A node without any runs
/// at each message. Several rounds may be under way at once.
template <typename Output, typename Policy = queueing>
class continue_node : public continue_input, public living_node, public node_output<Output> {
  using adapter = ::ashlar::flow::function_adapter<continue_msg, Output>;
  // It neither keeps nor refuses messages, so any other type says nothing, and is let through as in both TBBs.
  static constexpr bool wants_lightweight = ::ashlar::flow::is_lightweight<Policy>;

 public:
  using input_type = continue_msg;
  using output_type = Output;
  using predecessor_type = sender<continue_msg>;
  using successor_type = receiver<Output>;

  template <typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_function_body<Body, continue_msg, Output>)
  continue_node(graph& g, Body body, Policy = Policy(), node_priority_t priority = no_priority)
      : continue_node(g, 0, body, Policy(), priority) {}
  template <typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_function_body<Body, continue_msg, Output>)
  continue_node(graph& g, Body body, node_priority_t priority) : continue_node(g, 0, body, Policy(), priority) {}
  template <typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_function_body<Body, continue_msg, Output>)
  continue_node(graph& g, int predecessors, Body body, Policy = Policy(), node_priority_t priority = no_priority)
      : continue_input(g, predecessors, priority, &run_node<continue_node>),
        living_node(g),
        node_output<Output>(g.core()),
        body_(adapter(), body) {
    if (wants_lightweight) {
      set_lightweight(adapter::template takes_any<Body>);
    }
  }
  template <typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_function_body<Body, continue_msg, Output>)
  continue_node(graph& g, int predecessors, Body body, node_priority_t priority)
      : continue_node(g, predecessors, body, Policy(), priority) {}
  template <typename Order, typename... Nodes, typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_function_body<Body, continue_msg, Output>)
  continue_node(node_set<Order, Nodes...> const& nodes, Body body, Policy = Policy(),
                node_priority_t priority = no_priority)
      : continue_node(nodes, 0, body, Policy(), priority) {}
  template <typename Order, typename... Nodes, typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_function_body<Body, continue_msg, Output>)
  continue_node(node_set<Order, Nodes...> const& nodes, Body body, node_priority_t priority)
      : continue_node(nodes, 0, body, Policy(), priority) {}
  template <typename Order, typename... Nodes, typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_function_body<Body, continue_msg, Output>)
  continue_node(node_set<Order, Nodes...> const& nodes, int predecessors, Body body, Policy = Policy(),
                node_priority_t priority = no_priority)
      : continue_node(nodes.graph_reference(), predecessors, body, Policy(), priority) {
    make_edges_in_order(nodes, *this);
  }
  template <typename Order, typename... Nodes, typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_function_body<Body, continue_msg, Output>)
  continue_node(node_set<Order, Nodes...> const& nodes, int predecessors, Body body, node_priority_t priority)
      : continue_node(nodes, predecessors, body, Policy(), priority) {}
  // The body and the number that the other one was constructed with, and none of its edges.
  continue_node(continue_node const& other)
      : continue_input(other.my_graph, other.initial_count(), other.priority(), &run_node<continue_node>),
        living_node(other.my_graph),
        node_output<Output>(other.my_graph.core()),
        body_(other.body_) {
    set_lightweight(other.is_lightweight());
  }

  template <typename Body>
  Body copy_function_object() const {
    return body_.template copy<Body>();
  }

 private:
  friend class continue_input;
  ::ashlar::sched::job* call(::ashlar::flow::wait_token* t) final { return run_body<true>(t); }
  ::ashlar::flow::node_base const& its_node() const noexcept final { return *this; }
  template <bool Observed>
  ASHLAR_ALWAYS_INLINE ::ashlar::sched::job* run_body(::ashlar::flow::wait_token* t) {
    continue_msg in;
    Output out = body_.template call_for<Observed>(*this, in);
    return this->broadcast(*this, out, ::ashlar::flow::passage::moved(t));
  }
  static void call_alone(::ashlar::flow::node_base& n, bool observed) {
    auto& self = static_cast<continue_node&>(n);
    continue_msg in;
    if (ASHLAR_UNLIKELY(observed)) {
      static_cast<void>(self.body_.template call_for<true>(self, in));
    } else {
      static_cast<void>(self.body_.template call_for<false>(self, in));
    }
  }
  lone_call get_lone_call(int edges) noexcept override { return awaited() == edges ? &call_alone : nullptr; }
  void reset_node(reset_flags f) override {
    reset_input(f);
    if ((f & rf_reset_bodies) != 0) body_.reset();
    if ((f & rf_clear_edges) != 0) this->clear_successors();
  }
  void describe(::ashlar::flow::picture& to) override {
    to.kind("continue_node");
    describe_rounds(to);
    this->describe_output(to);
  }
  void settle() override { reset_input(rf_reset_protocol); }
  void forget_tokens() override { forget_round(); }
  life const& its_life() const noexcept override { return life_; }

  ::ashlar::flow::body_box<Output(continue_msg&)> body_;
  life const life_{*this};
};

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, continue_node)
}  // namespace flow
}  // namespace tbb
