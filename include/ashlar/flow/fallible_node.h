// SPDX-License-Identifier: Apache-2.0
// tbb::flow::fallible_node: a function_node with a port for what its body throws. Users include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/flow/multifunction_node.h>

#include <exception>
#include <optional>
#include <tuple>
#include <utility>

namespace tbb {
namespace flow {

// What a body has thrown, and the message that it was called with (if it had taken that by value: what was left of it).
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

// Puts what the body returns into port 0, or a failed_message into port 1.
template <typename Input, typename Output, typename Body, typename Ports>
class fallible_body {
  using adapter = function_adapter<Input, Output>;

 public:
  explicit fallible_body(Body const& b) : body_(b) {}
  void operator()(Input&& v, Ports& ports) {
    std::optional<Output> out;
    ASHLAR_TRY { out.emplace(adapter::call(body_, v)); }
    ASHLAR_CATCH_ALL {
      // Without a successor for it the exception goes the way of all: it cancels the graph.
      tbb::flow::failed_message<Input> f{std::move(v), std::current_exception()};
      if (!std::get<1>(ports).try_put(std::move(f))) ASHLAR_RETHROW;
      return;
    }
    // What a successor throws is no failure of the body.
    std::get<0>(ports).try_put(std::move(*out));
  }

 private:
  Body body_;
};

}  // namespace flow
}  // namespace v1
}  // namespace ashlar

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

// Ashlar's own: as function_node, but an exception of the body is a message, too: failed_message<Input>, from
// error_port(node). The graph goes on. If no successor takes it, the exception cancels the graph as elsewhere.
template <typename Input, typename Output = continue_msg, typename Policy = queueing>
class fallible_node : public multifunction_node<Input, std::tuple<Output, failed_message<Input>>, Policy> {
  using base = multifunction_node<Input, std::tuple<Output, failed_message<Input>>, Policy>;
  template <typename Body>
  using wrapped = ::ashlar::flow::fallible_body<Input, Output, Body, typename base::output_ports_type>;

 public:
  template <typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_function_body<Body, Input, Output>)
  fallible_node(graph& g, std::size_t limit, Body body, Policy policy = Policy(),
                node_priority_t priority = no_priority)
      : base(g, limit, wrapped<Body>(body), policy, priority) {}
};
template <typename Input, typename Output, typename Policy>
auto& error_port(fallible_node<Input, Output, Policy>& n) {
  return output_port<1>(n);
}

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, fallible_node)
ASHLAR_FLOW_KNOWN_IN(11, error_port)
}  // namespace flow
}  // namespace tbb
