// SPDX-License-Identifier: Apache-2.0
// How long a thread competes for a lock before it sleeps. It looks at the lock often at first, when a section of a
// hundred nanoseconds may end at any moment, then rarely: each look takes the lock's cache line away from the holder,
// and a holder that is left alone passes through several short sections at the cost of one hand-over. It yields once,
// for a holder that waits for this processor; to yield for as long as a sleep takes lets few threads have the lock all
// the time.
#pragma once

#include <ashlar/sync/backoff.h>

#ifndef ASHLAR_MODEL
#include "os/clock.h"

#include <ashlar/os/tuning.h>
#endif

namespace ashlar {
inline namespace v1 {
namespace sync {

#ifdef ASHLAR_MODEL
inline constexpr int most_yields = 0;

template <typename Attempt>
bool spin_for(Attempt const& attempt, std::uint64_t) noexcept {
  return attempt();
}
#else
inline constexpr int most_yields = 1;

// A short wait without the pause instruction, whose end comes too late for a section that ends at any moment.
inline void wait_some_cycles() noexcept {
  for (int cycles = 64; cycles != 0; --cycles) __asm__ volatile("" : "+r"(cycles));
}

// The callers have just failed, so the first look comes after a wait. The gaps between looks grow from the first one,
// in ticks; 1: at once.
template <typename Attempt>
bool spin_for(Attempt const& attempt, std::uint64_t first_gap) noexcept {
  constexpr int early_looks = 5;
  for (int n = first_gap == 1 ? early_looks : 0; n > 0; --n) {
    wait_some_cycles();
    if (attempt()) return true;
  }
  std::uint64_t const start = os::ticks();
  std::uint64_t now = start;
  for (std::uint64_t gap = first_gap; now - start < os::tuned.lock_spin;
       gap = gap < os::tuned.lock_longest_gap ? 4 * gap : gap) {
    for (std::uint64_t const from = now; now - from < gap; now = os::ticks()) cpu_pause();
    if (attempt()) return true;
  }
  return false;
}
#endif

// True as soon as attempt() is; false when it is time to sleep. The first look comes after `first_gap` ticks.
template <typename Attempt>
bool contend(Attempt const& attempt, std::uint64_t first_gap = 1) noexcept {
  if (spin_for(attempt, first_gap)) return true;
  for (int n = 0; n < most_yields; ++n) {
    yield_thread();
    if (attempt()) return true;
  }
  return false;
}

}  // namespace sync
}  // namespace v1
}  // namespace ashlar
