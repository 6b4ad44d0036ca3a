// SPDX-License-Identifier: Apache-2.0
// How the bodies of this suite work: they sleep. A sleeping body needs no processor, so a few processors show how a
// scheduler shares work out among many threads.
#pragma once

#include <bench/clock.h>

#include <sys/prctl.h>

#include <cerrno>
#include <ctime>

namespace threads {

// The kernel rounds sleeps up to this many ns. A new thread inherits it from its creator, therefore it has to be called
// before the library creates any.
inline void want_exact_sleeps() { prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0); }

inline void sleep_until(double when) {
  timespec until;
  until.tv_sec = static_cast<time_t>(when);
  until.tv_nsec = static_cast<long>((when - static_cast<double>(until.tv_sec)) * 1e9);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}
inline void nap(double seconds) { sleep_until(bench::wall_now() + seconds); }

}  // namespace threads
