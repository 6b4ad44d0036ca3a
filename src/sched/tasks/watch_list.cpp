// SPDX-License-Identifier: Apache-2.0
// Protocol: README.md, 'Task groups'.
#include "sched/tasks/watch_list.h"

namespace ashlar::inline v1::sched {

bool watch_list::add(group_watch& w) noexcept {
  std::lock_guard guard(lock_);
  foreign_group_waiters.fetch_add(1, mo::seq_cst);  // [N6]
  count_.fetch_add(1, mo::relaxed);
  w.next = first_;
  first_ = &w;
  // Nobody resumes it, which may end the group, before the lock is free.
  if (w.counter->announce(true)) return true;
  first_ = w.next;
  count_.fetch_sub(1, mo::relaxed);
  foreign_group_waiters.fetch_sub(1, mo::relaxed);
  return false;
}

void watch_list::notify(void const* counter) noexcept {
  group_watch* over = nullptr;
  {
    std::lock_guard guard(lock_);
    for (group_watch** link = &first_; *link != nullptr;) {
      group_watch* const w = *link;
      // Another waiter may have taken the announcement back when it left: it is made again.
      if (w->counter != counter || w->counter->announce(false)) {
        link = &w->next;
        continue;
      }
      *link = w->next;
      count_.fetch_sub(1, mo::relaxed);
      foreign_group_waiters.fetch_sub(1, mo::relaxed);
      w->next = over;
      over = w;
    }
  }
  while (over != nullptr) {
    continuation& c = *over->waiting;
    over = over->next;
    c.resume();
  }
}

}  // namespace ashlar::inline v1::sched
