// SPDX-License-Identifier: Apache-2.0
// Waits for a group in one of its own tasks, which can't end: README.md, 'Waits for oneself'.
#pragma once

#include "sched/park/parking.h"

#include <ashlar/sched/tasks/group_context.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

// Whether the calling thread's task is counted by the group `own`, or something that the task waits in is: looks at the
// algorithms and the calls of arenas that the thread is in.
bool waits_for_itself(slot const& s, context const& own) noexcept;

// A wait in a task for the group `own`. If it lasts, the thread looks whether it can end: after 10 ms, and some times
// again, because the wait that closes a cycle may be one in a destructor, which does not look.
class own_wait {
 public:
  own_wait(slot const& s, context const& own) noexcept;

  // Called whenever the thread is about to sleep. False: it need not, because the wait is endless().
  bool may_sleep(sleeper& thread) noexcept;
  bool endless() const noexcept { return endless_; }

 private:
  bool look() const noexcept;
  bool reaches_own() const noexcept;

  context const* const within_;
  arena_call const* const call_;
  context const* const own_;
  std::uint64_t pause_begun_ = 0;  // ticks; 0: the thread has not been about to sleep yet
  double pause_ns_ = 1e7;          // to the next look
  bool endless_ = false;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
