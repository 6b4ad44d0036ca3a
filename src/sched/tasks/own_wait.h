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

// A wait in a task for the group `own`. If it lasts, the thread looks once whether it can end.
class own_wait {
 public:
  own_wait(slot const& s, context const& own) noexcept;

  // Called whenever the thread is about to sleep. False: it need not, because the wait is endless().
  bool may_sleep(sleeper& thread) noexcept;
  bool endless() const noexcept { return endless_; }

 private:
  bool reaches_own() const noexcept;

  context const* const within_;
  arena_call const* const call_;
  context const* const own_;
  std::uint64_t first_sleep_ = 0;  // ticks; 0: it has not come yet
  bool looked_ = false;
  bool endless_ = false;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
