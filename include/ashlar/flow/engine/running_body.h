// SPDX-License-Identifier: Apache-2.0
// What the body that runs on a stack leaves for those whom it calls: its message's token. A body that is suspended
// takes this along: what the thread does meanwhile is not the message's.
//
// Threads    the one that runs the stack.
#pragma once

#include <ashlar/flow/engine/message.h>
#include <ashlar/sched/core/running_above.h>

namespace ashlar {
inline namespace v1 {
namespace flow {

/// For a scope, in which the body is called.
class running_body {
 public:
  /// `t`: null if the body's message has no token.
  explicit running_body(wait_token* t) noexcept : outer_(sched::awaited_above) { sched::awaited_above = t; }
  ~running_body() { sched::awaited_above = outer_; }
  running_body(running_body const&) = delete;
  running_body& operator=(running_body const&) = delete;

  /// Of the innermost body, for the ports that it puts into.
  ASHLAR_ALWAYS_INLINE static wait_token* token() noexcept { return static_cast<wait_token*>(sched::awaited_above); }

 private:
  void* const outer_;
};

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
