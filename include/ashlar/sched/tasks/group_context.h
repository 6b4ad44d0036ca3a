// SPDX-License-Identifier: Apache-2.0
// The context of a task group of its own, which knows in which task a thread waits for the group. A wait that can't end
// is found by it (src/sched/tasks/own_wait.cpp).
//
// Invariants OW1 while awaited_by() names a context, a thread is in a task of it, and does not leave its wait before it
//               has asked the group's counter once more, but by throw_own_wait().
// Ordering   [OW1] waiter: mark taken away, light fence, counter read <-> [OW2] own_wait: job counted, heavy fence,
// mark read
//            [OW3] waiter: mark set, release -> [OW4] own_wait: mark read, acquire (the waiter's context)
#pragma once

#include <ashlar/sched/core/slot.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

class group_context : public context {
 public:
  explicit group_context(slot& s) noexcept : context(s.enclosing_group(), s.group().fp(), counted) {}

  /// A thread begins to run jobs in a wait for the group, within a task of this context.
  ASHLAR_ALWAYS_INLINE void begin_wait(context& within) noexcept { awaited_by_.store(&within, mo::release); }  // [OW3]
  /// It stops, and asks the counter again.
  ASHLAR_ALWAYS_INLINE void end_wait() noexcept {
    awaited_by_.store(nullptr, mo::relaxed);
    fence_light();  // [OW1]
  }
  context const* awaited_by() const noexcept { return awaited_by_.load(mo::acquire); }  // [OW4]

 private:
  atomic<context*> awaited_by_{nullptr};
};

/// Throws tbb::unsafe_wait: a thread waits for the group of the task in which it waits.
[[noreturn]] ASHLAR_EXPORT ASHLAR_COLD void throw_own_wait();

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
