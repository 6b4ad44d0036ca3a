// SPDX-License-Identifier: Apache-2.0
#include "sched/tasks/group_wait.h"

namespace ashlar::inline v1::sched {

bool group_counter::wait_unless(slot& s, context& unless, char const* what) noexcept {
  // Who cancels marks the context first, then lets the slots know, and wakes at last.
  wait_or(s, what, [&] { return s.cancelled(unless); }, [&] { return !unless.is_cancelled(); });
  if (!done()) return false;
  tsan::acquire(this);
  return true;
}

}  // namespace ashlar::inline v1::sched
