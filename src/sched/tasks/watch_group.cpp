// SPDX-License-Identifier: Apache-2.0
// The process's list of continuations that wait for groups.
#include "sched/park/parking.h"
#include "sched/park/process_locks.h"
#include "sched/tasks/watch_list.h"

namespace ashlar::inline v1::sched {

watch_list& watch_list::get() noexcept {
  static ASHLAR_CONSTINIT_MUTEX watch_list list;
  return list;
}

namespace {

void notify(void const* counter) noexcept {
  if (!watch_list::get().empty()) watch_list::get().notify(counter);
}

// Nobody is at work in the list while the process is forked: the child finds it whole and unlocked.
fork_part part({[]() noexcept { watch_list::get().before_fork(); }, []() noexcept { watch_list::get().after_fork(); },
                nullptr});

}  // namespace

bool watch_group(group_watch& w) noexcept {
  // This comes before the group's counter says that somebody waits, so that whoever reads that there calls the list.
  parking_lot::other_waiters.store(notify, mo::relaxed);
  return watch_list::get().add(w);
}

}  // namespace ashlar::inline v1::sched
