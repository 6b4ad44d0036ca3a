// SPDX-License-Identifier: Apache-2.0
// tbb::flow::continue_node. Users include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/flow/edges/node_output.h>
#include <ashlar/flow/edges/node_set.h>
#include <ashlar/flow/engine/living_node.h>
#include <ashlar/flow/work/continue_input.h>

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// Calls its body when each predecessor has sent a message, and sends what the body returns to all successors. The
/// number of predecessors is that of the edges, and what the constructor was given in addition. A node without any runs
/// at each message. Several rounds may be under way at once.
template <typename Output, typename Policy = queueing>
class continue_node : public ::ashlar::flow::continue_input,
                      public ::ashlar::flow::living_node,
                      public ::ashlar::flow::node_output<Output>,
                      public ::ashlar::flow::bodied<Output(continue_msg&)> {
  using input = ::ashlar::flow::continue_input;
  using output = ::ashlar::flow::node_output<Output>;
  using adapter = ::ashlar::flow::function_adapter<continue_msg, Output>;
  using with_body = ::ashlar::flow::bodied<Output(continue_msg&)>;
  using position = ::ashlar::flow::position<continue_node>;
  // It neither keeps nor refuses messages, so any other type says nothing, and is let through as in both TBBs.
  static constexpr bool wants_lightweight = ::ashlar::flow::is_lightweight<Policy>;

 public:
  template <typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_function_body<Body, continue_msg, Output>)
  continue_node(position where, Body body, Policy = Policy(), node_priority_t priority = no_priority)
      : continue_node(where, 0, body, Policy(), priority) {}
  template <typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_function_body<Body, continue_msg, Output>)
  continue_node(position where, Body body, node_priority_t priority)
      : continue_node(where, 0, body, Policy(), priority) {}
  template <typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_function_body<Body, continue_msg, Output>)
  continue_node(position where, int predecessors, Body body, Policy = Policy(), node_priority_t priority = no_priority)
      : input(where.its_graph(), predecessors, priority, wants_lightweight && adapter::template takes_any<Body>,
              &input::template run_node<continue_node>),
        ::ashlar::flow::living_node(where.its_graph()),
        output(where.core()),
        with_body(adapter(), body),
        life_(*this, where) {}
  template <typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_function_body<Body, continue_msg, Output>)
  continue_node(position where, int predecessors, Body body, node_priority_t priority)
      : continue_node(where, predecessors, body, Policy(), priority) {}
  // The body and the number that the other one was constructed with, and none of its edges.
  continue_node(continue_node const& other)
      : input(other), ::ashlar::flow::living_node(other), output(other), with_body(other), life_(*this, other) {}

 private:
  friend input;
  ::ashlar::sched::job* call(::ashlar::flow::wait_token* t) final { return run_body<true>(t); }
  ::ashlar::flow::node_base const& its_node() const noexcept final { return *this; }
  template <bool Observed>
  ASHLAR_ALWAYS_INLINE ::ashlar::sched::job* run_body(::ashlar::flow::wait_token* t) {
    continue_msg in;
    Output out = this->body_.template call_for<Observed>(*this, in);
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
    this->reset_body(f);
    this->reset_output(f);
  }
  void describe(::ashlar::flow::picture& to) override {
    to.kind("continue_node");
    describe_rounds(to);
    this->describe_output(to);
  }
  void settle() override { reset_input(rf_reset_protocol); }
  void forget_tokens() override { forget_round(); }
  life const& its_life() const noexcept override { return life_; }

  life const life_;
};

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, continue_node)
}  // namespace flow
}  // namespace tbb
