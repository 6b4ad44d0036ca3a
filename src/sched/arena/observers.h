// SPDX-License-Identifier: Apache-2.0
// Telling observers of threads that enter and leave. An arena keeps the number of the newest observer that concerns it,
// a slot the newest that its occupant has been announced to: while nothing is observed, or nothing new, one comparison
// decides. README.md, 'Observers'.
#pragma once

#include "sched/arena/arena.h"

namespace ashlar {
inline namespace v1 {
namespace sched {

struct observer_record;
// All three are declared in observer.h, too, for tbb::task_scheduler_observer.
using observer_call = void (*)(void* observer, bool enters, bool worker) noexcept;
ASHLAR_EXPORT observer_record* start_observing(void* who, arena* where, observer_call call);
ASHLAR_EXPORT void stop_observing(observer_record* r) noexcept;

// Announces the occupant to observers that don't know of it; tells all that know of it that it leaves.
void announce_entry(slot& s) noexcept;
void announce_exit(slot& s) noexcept;
// A thread ends its use of the scheduler: tells the observers of all threads.
void announce_end(thread_data& t) noexcept;
// In the child of a fork: callbacks of other threads have ended, and so have observers on their stacks.
void forget_observing_threads() noexcept;
// The newest observer of all threads.
std::uint64_t newest_global_observer() noexcept;

ASHLAR_ALWAYS_INLINE void observe_entry(arena& a, slot& s) noexcept {
  if (ASHLAR_UNLIKELY(!s.announced_to(a.observed.load(mo::relaxed)))) announce_entry(s);
}
ASHLAR_ALWAYS_INLINE void observe_exit(slot& s) noexcept {
  if (ASHLAR_UNLIKELY(s.announced_to(1))) announce_exit(s);
}

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
