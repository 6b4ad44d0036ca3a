// SPDX-License-Identifier: Apache-2.0
// tbb::execution::sender_node: a node of the flow graph whose body is a sender. Users include <ashlar/execution.h>.
#pragma once

#include <ashlar/execution/awaiter.h>
#include <ashlar/flow/nodes/coroutine_node.h>

namespace tbb {
namespace execution {
inline namespace ASHLAR_SENDERS {

/// Calls body(Input&) with each message, which returns a sender; its value is sent to all successors. While the sender
/// is under way no thread waits, but it holds its place: `limit` of them are under way at once. The message lives until
/// the sender completes. An error cancels the graph, and wait_for_all throws it; so does a stop, as sender_stopped.
template <typename Input, typename Output = flow::continue_msg>
class sender_node : public flow::coroutine_node<Input, Output> {
  using base = flow::coroutine_node<Input, Output>;

 public:
  template <typename Body>
  sender_node(flow::graph& g, std::size_t limit, Body body) : base(g, limit, awaiting<Body>{std::move(body)}) {}

 private:
  using result = std::conditional_t<std::is_same_v<Output, flow::continue_msg>, void, Output>;

  template <typename Body>
  struct awaiting {
    co_task<result> operator()(Input& message) {
      if constexpr (std::is_void_v<result>) {
        co_await value_of(body(message));
      } else {
        co_return co_await value_of(body(message));
      }
    }
    Body body;
  };
};

}  // namespace ASHLAR_SENDERS
}  // namespace execution
}  // namespace tbb
