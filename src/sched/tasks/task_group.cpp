// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sched/tasks/task_group.h>

#include "os/membarrier.h"
#include "sched/tasks/group_wait.h"

namespace ashlar::inline v1::sched {

atomic<std::uint32_t> foreign_group_waiters{0};

void group_counter::finish_elsewhere() noexcept {
  // After the addition the group may be gone: only its address is used, and only if somebody sleeps there.
  if (done_elsewhere_.fetch_add(one, mo::acq_rel) & 1) wake_waiters(this);  // [N1]
}

bool group_counter::announce(bool foreign) noexcept {
  done_elsewhere_.fetch_or(1, mo::acq_rel);  // [N2]
  if (foreign) os::heavy_fence();            // [N6]
  return !done();
}

void group_counter::wait_for_all(slot& s) noexcept {
  wait_or(s, "a task group", [] { return false; }, [] { return true; });
}

void group_counter::wait_in(own_region& region, slot& s) noexcept {
  region.gather();
  wait_or(s, "a task group, in its own tasks only", [] { return false; }, [] { return true; }, &region.jobs());
  tsan::acquire(this);
}

void group_counter::wait_but_for(number others, void const* of, slot& s) noexcept {
  auto const done_now = [&] { return done_but_for(others, of); };
  if (done_now()) return;
  wait_for(s, "a task group", done_now, [&](bool foreign) {
    announce(foreign);
    return !done_now();
  });
}

}  // namespace ashlar::inline v1::sched
