// SPDX-License-Identifier: Apache-2.0
// What the body that runs on a stack leaves for those whom it calls: its message's token, or, if it has none, its node.
// A body that is suspended takes this along: what the thread does meanwhile is neither the message's nor the node's.
//
// Threads    the one that runs the stack.
#pragma once

#include <ashlar/flow/engine/message.h>
#include <ashlar/sched/core/running_above.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace flow {

/// For a scope, in which the body is called.
class running_body {
 public:
  /// A body whose message has a token, or null.
  explicit running_body(wait_token* t) noexcept : running_body(static_cast<void*>(t)) {}
  /// The same; `input`: of its node, an even address.
  running_body(void const* input, wait_token* t) noexcept
      : running_body(ASHLAR_LIKELY(t == nullptr) ? named(input) : t) {}
  ~running_body() { sched::awaited_above = outer_; }
  running_body(running_body const&) = delete;
  running_body& operator=(running_body const&) = delete;

  /// The token of the innermost body's message, for the ports that the body puts into; null: it has none.
  ASHLAR_ALWAYS_INLINE static wait_token* token() noexcept {
    void* const above = sched::awaited_above;
    if (ASHLAR_UNLIKELY((reinterpret_cast<std::uintptr_t>(above) & 1) != 0)) return nullptr;
    return static_cast<wait_token*>(above);
  }
  /// The innermost body on this stack is the node's, and its message has no token: the node's body does not end before
  /// the caller returns.
  ASHLAR_ALWAYS_INLINE static bool is_of(void const* input) noexcept { return sched::awaited_above == named(input); }

 private:
  explicit running_body(void* above) noexcept : outer_(sched::awaited_above) { sched::awaited_above = above; }
  static void* named(void const* input) noexcept {
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(input) | 1);
  }
  void* const outer_;
};

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
