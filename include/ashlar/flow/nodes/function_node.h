// SPDX-License-Identifier: Apache-2.0
// tbb::flow::function_node. Users include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/alloc/cache_aligned_allocator.h>
#include <ashlar/flow/edges/node_output.h>
#include <ashlar/flow/edges/node_set.h>
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
class function_node
    : public ::ashlar::flow::function_input<function_node<Input, Output, Policy, Allocator>, Input, Policy,
                                            ::ashlar::flow::function_adapter<Input, Output>, Output(Input&)>,
      public ::ashlar::flow::node_output<Output> {
  using input = typename function_node::function_input;
  friend input;
  using position = ::ashlar::flow::position<function_node>;

 public:
  template <typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_function_body<Body, Input, Output>)
  function_node(position where, std::size_t limit, Body body, Policy policy = Policy(),
                node_priority_t priority = no_priority)
      : input(where.its_graph(), limit, body, policy, priority),
        ::ashlar::flow::node_output<Output>(where.core()),
        life_(*this, where) {
    ::ashlar::flow::check_function_body<Body, Input, Output>();
  }
#if ASHLAR_CONSTRAINED
  // clang-format off
  template <typename Body>
  function_node(position, std::size_t, Body, Policy = Policy(), node_priority_t = no_priority) = delete;  // needs a limit, and Output body(Input const&)
  // clang-format on
#endif
  template <typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_function_body<Body, Input, Output>)
  function_node(position where, std::size_t limit, Body body, node_priority_t priority)
      : function_node(where, limit, body, Policy(), priority) {}
  // The body that the other one was constructed with, and none of its edges.
  function_node(function_node const& other)
      : input(other), ::ashlar::flow::node_output<Output>(other), life_(*this, other) {}

 private:
  template <bool Observed>
  ASHLAR_ALWAYS_INLINE ::ashlar::sched::job* run_body(Input& v, ::ashlar::flow::passage p) {
    Output out = this->body_.template call_for<Observed>(*this, v);
    return this->broadcast(*this, out, p);
  }
  void reset_node(reset_flags f) override {
    this->reset_input(f);
    this->reset_body(f);
    this->reset_output(f);
  }
  void describe(::ashlar::flow::picture& to) override {
    to.kind("function_node");
    this->describe_input(to);
    this->describe_output(to);
  }
  using life = ::ashlar::flow::node_base::life;
  life const& its_life() const noexcept override { return life_; }

  life const life_;
};

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, function_node)
}  // namespace flow
}  // namespace tbb
