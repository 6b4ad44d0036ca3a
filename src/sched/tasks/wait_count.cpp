// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sched/core/words_scope.h>
#include <ashlar/sched/tasks/wait_count.h>

#include "obs/trace.h"

namespace ashlar::inline v1::sched {

bool wait_count::announce() noexcept {
  return (count_.fetch_or(waiter_sleeps, mo::acq_rel) & ~waiter_sleeps) != 0;  // [WC3]
}

void wait_count::wait_for_zero(slot& s) noexcept {
  words_scope const words(s);
  // The thread's own jobs first, straight from the deque.
  while (busy() && s.run_newest()) {
  }
  if (!busy()) return obs::trace(obs::trace_event::wait_end, nullptr);
  s.wait(wait_until(this, "the tasks of a wait context", [this] { return !busy(); }, [this] { return announce(); }));
  if (count_.load(mo::relaxed) & waiter_sleeps) {
    // Another waiter that sleeps looks for itself, and announces itself anew if the count is in use again.
    count_.fetch_and(~waiter_sleeps, mo::relaxed);
    wake_waiters(this);
  }
}

}  // namespace ashlar::inline v1::sched
