// SPDX-License-Identifier: Apache-2.0
// The cheapest way to run two things in parallel: the second becomes a job in the caller's stack frame, the first is
// called, and if no thief came the second is called too. An unstolen fork-join allocates nothing, counts nothing and
// executes no locked instruction, or one near the top of the deque (deque.h).
//
// Ordering   a stolen half's results: latch.h
#pragma once

#include <ashlar/sched/core/slot.h>
#include <ashlar/sched/park/latch.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

// The part of a fork that doesn't depend on the functor's type.
struct fork_base : context_job {
  fork_base(entry e, context& g, slot::index i) noexcept : context_job(e, g), at(i), thief(no_thief) {}

  slot::index at;  // where it is pushed
  latch end;
  atomic<std::uint32_t> thief;
};

// Called by the thread that ran a stolen half, last: the owner's frame may be gone afterwards.
ASHLAR_EXPORT void finish_fork(fork_base& f) noexcept;
// Called by the owner when its pop didn't bring the fork back but `popped`, or s.disturbed(). Returns true if the
// caller shall run the fork itself; otherwise the fork is over, and an exception of the group is rethrown.
ASHLAR_EXPORT bool join_fork(slot& s, fork_base& f, job* popped);
// The owner's first half threw: records the exception that is being handled and takes the fork back or waits for it.
ASHLAR_EXPORT void fail_fork(slot& s, fork_base& f);

template <typename G>
struct fork_job : fork_base {
  fork_job(G const& function, context& g, slot::index i) noexcept
      : fork_base(&run_stolen, g, i), second(std::addressof(function)) {}

  static job* run_stolen(job* self, slot& here) noexcept {
    auto& f = *static_cast<fork_job*>(self);
    f.thief.store(here.position(), mo::relaxed);
    here.enter(*f.group);
    if (!here.cancelled(f.group)) {
      ASHLAR_TRY { (*f.second)(); }
      ASHLAR_CATCH_ALL { f.group->record_exception(); }
    }
    tsan::release(&f);
    finish_fork(f);
    return nullptr;
  }

  G const* second;
};

// Calls first() and second(), possibly in parallel, in the group. If one throws, the group is cancelled, what has not
// started is dropped, and an exception of the group leaves when both are over. Which one was the group's first is known
// only when all of the group is over, because other threads may be about to record one: who waits for that rethrows it.
template <typename F, typename G>
ASHLAR_ALWAYS_INLINE void fork_join(slot& s, context& group, F const& first, G const& second) {
  fork_job<G> fork(second, group, s.bottom());
  s.spawn(fork);
  ASHLAR_TRY { first(); }
  ASHLAR_CATCH_ALL {
    fail_fork(s, fork);
    tsan::acquire(&fork);
    ASHLAR_RETHROW;
  }
  job* const popped = s.pop();
  if ((ASHLAR_LIKELY(popped == &fork) && ASHLAR_LIKELY(!s.disturbed())) || join_fork(s, fork, popped)) {
    return void(second());
  }
  tsan::acquire(&fork);
}

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
