// SPDX-License-Identifier: Apache-2.0
// tbb::flow::fallible_node: a function_node with a port for what its body throws. Users include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/flow/nodes/multifunction_node.h>

#include <exception>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tbb {
namespace flow {

/// What a body has thrown, and the message that it was called with (if it had taken that by value: what was left of
/// it).
template <typename Input>
struct failed_message {
  Input message;
  std::exception_ptr exception;
};

}  // namespace flow
}  // namespace tbb

namespace ashlar {
inline namespace v1 {
namespace flow {

/// Puts what the body returns into port 0, or a failed_message into port 1. Copies: the message may be the sender's, as
/// in a lightweight node.
template <typename Input, typename Output, typename Body, typename Ports, bool Copies>
class fallible_body {
  using adapter = function_adapter<Input, Output>;
  using message = std::conditional_t<Copies, Input const&, Input&&>;

 public:
  explicit fallible_body(Body const& b) : body_(b) {}
  void operator()(message v, Ports& ports) {
    std::optional<Output> out;
    ASHLAR_TRY { out.emplace(adapter::call(body_, const_cast<Input&>(v))); }  // NOLINT: const where the body takes that
    ASHLAR_CATCH_ALL {
      // Without a successor for it the exception goes the way of all: it cancels the graph.
      tbb::flow::failed_message<Input> f{static_cast<message>(v), std::current_exception()};
      if (!std::get<1>(ports).try_put(std::move(f))) ASHLAR_RETHROW;
      return;
    }
    // What a successor throws is no failure of the body.
    std::get<0>(ports).try_put(std::move(*out));
  }

 private:
  Body body_;
};
/// What the body throws is a message.
template <typename Input, typename Output, typename Body, typename Ports, bool Copies>
inline constexpr bool body_never_throws<fallible_body<Input, Output, Body, Ports, Copies>, Input, Ports> = true;

}  // namespace flow
}  // namespace v1
}  // namespace ashlar

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// Ashlar's own: as function_node, but an exception of the body is a message, too: failed_message<Input>, from
/// error_port(node). The graph goes on. If no successor takes it, the exception cancels the graph as elsewhere. By the
/// policy `lightweight` a body that throws runs in the sender's task, too, in both dialects.
template <typename Input, typename Output = continue_msg, typename Policy = queueing>
class fallible_node : public multifunction_node<Input, std::tuple<Output, failed_message<Input>>, Policy> {
  using base = typename fallible_node::multifunction_node;
  using typename base::life;
  using typename base::part;
  template <typename Body>
  static constexpr bool copies = ::ashlar::flow::policy_traits<Policy>::lightweight &&
                                 std::is_copy_constructible_v<Input> && ::ashlar::flow::takes_const<Body, Input>;
  template <typename Body>
  using wrapped = ::ashlar::flow::fallible_body<Input, Output, Body, typename base::output_ports_type, copies<Body>>;

 public:
  template <typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_function_body<Body, Input, Output>)
  fallible_node(graph& g, std::size_t limit, Body body, Policy policy = Policy(),
                node_priority_t priority = no_priority)
      : base(part(), g, limit, wrapped<Body>(body), policy, priority), life_(*this, g.core()) {}
  fallible_node(fallible_node const& other) : base(part(), other), life_(*this, other) {}

 private:
  life const& its_life() const noexcept override { return life_; }

  life const life_;
};
template <typename Input, typename Output, typename Policy>
auto& error_port(fallible_node<Input, Output, Policy>& n) {
  return ::ashlar::flow::output_end<1>(n);
}

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, fallible_node)
ASHLAR_FLOW_KNOWN_IN(11, error_port)
}  // namespace flow
}  // namespace tbb
