// SPDX-License-Identifier: Apache-2.0
// tbb::flow::function_node. Users include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/alloc/cache_aligned_allocator.h>
#include <ashlar/flow/edges/node_output.h>
#include <ashlar/flow/edges/node_set.h>
#include <ashlar/flow/engine/living_node.h>
#include <ashlar/flow/work/function_body.h>
#include <ashlar/flow/work/function_input.h>

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// Calls a body with each message and sends what the body returns to all successors.
///
/// `limit` bodies run at once, any number of them with `unlimited`. Messages beyond that are queued or, by the policy
/// `rejecting`, refused. With a serial node and `queueing` the order is first in, first out. By the policy
/// `lightweight` a body runs in the sender's task (oneTBB's dialect: if it is noexcept), unless the limit or a long
/// chain of such nodes forbids it. Of the tasks that wait for a thread those of the highest `priority` go first, and
/// those with a priority before all other work of the arena, also between the iterations of a loop in a body.
///
/// A body takes `Input const&`, or, if it can't, an rvalue. It is copied from `body`; copies of the node copy that
/// again.
template <typename Input, typename Output = continue_msg, typename Policy = queueing,
          typename Allocator = cache_aligned_allocator<Input>>
class function_node : public function_input<Input>, public living_node, public node_output<Output> {
  using input = function_input<Input>;
  using traits = ::ashlar::flow::policy_traits<Policy>;
  using adapter = ::ashlar::flow::function_adapter<Input, Output>;

 public:
  using input_type = Input;
  using output_type = Output;
  using predecessor_type = sender<Input>;
  using successor_type = receiver<Output>;

  template <typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_function_body<Body, Input, Output>)
  function_node(graph& g, std::size_t limit, Body body, Policy policy = Policy(),
                node_priority_t priority = no_priority)
      : input(g, limit, traits::template room<Input>(policy), priority,
              function_input<Input>::template run_node<function_node>),
        living_node(g),
        node_output<Output>(graph_node::core()),
        body_(adapter(), body) {
    this->set_lightweight(traits::lightweight &&
                          ::ashlar::flow::may_be_lightweight<adapter, Body, ASHLAR_CLASSIC_DIALECT>);
  }
  template <typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_function_body<Body, Input, Output>)
  function_node(graph& g, std::size_t limit, Body body, node_priority_t priority)
      : function_node(g, limit, body, Policy(), priority) {}
  template <typename Order, typename... Nodes, typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_function_body<Body, Input, Output>)
  function_node(node_set<Order, Nodes...> const& nodes, std::size_t limit, Body body, Policy policy = Policy(),
                node_priority_t priority = no_priority)
      : function_node(nodes.graph_reference(), limit, body, policy, priority) {
    make_edges_in_order(nodes, *this);
  }
  template <typename Order, typename... Nodes, typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_function_body<Body, Input, Output>)
  function_node(node_set<Order, Nodes...> const& nodes, std::size_t limit, Body body, node_priority_t priority)
      : function_node(nodes, limit, body, Policy(), priority) {}
  // The body that the other one was constructed with, and none of its edges.
  function_node(function_node const& other)
      : input(other.my_graph, other.limit(), other.room(), other.priority(),
              function_input<Input>::template run_node<function_node>),
        living_node(other.my_graph),
        node_output<Output>(graph_node::core()),
        body_(other.body_) {
    this->set_lightweight(other.is_lightweight());
  }

  ::ashlar::sched::job* receive(Input& v, ::ashlar::flow::passage p) final {
    return this->template take<function_node, traits::lightweight>(v, p);
  }

  template <typename Body>
  Body copy_function_object() const {
    return body_.template copy<Body>();
  }

 private:
  template <typename>
  friend class function_input;
  template <bool Observed>
  ASHLAR_ALWAYS_INLINE ::ashlar::sched::job* run_body(Input& v, ::ashlar::flow::passage p) {
    Output out = body_.template call_for<Observed>(*this, v);
    return this->broadcast(*this, out, p);
  }
  void reset_node(reset_flags f) override {
    this->reset_input(f);
    if ((f & rf_reset_bodies) != 0) body_.reset();
    if ((f & rf_clear_edges) != 0) this->clear_successors();
  }
  void describe(::ashlar::flow::picture& to) override {
    to.kind("function_node");
    this->describe_input(to);
    this->describe_output(to);
  }
  void settle() override { this->settle_input(); }
  life const& its_life() const noexcept override { return life_; }

  ::ashlar::flow::body_box<Output(Input&)> body_;
  life const life_{*this};
};

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, function_node)
}  // namespace flow
}  // namespace tbb
