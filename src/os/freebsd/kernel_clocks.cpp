// SPDX-License-Identifier: Apache-2.0
// The clocks of FreeBSD, which has no other than the adjusted one.
#include "os/clock.h"

#include <pthread.h>

#include <ctime>

namespace ashlar::inline v1::os {

namespace {

// 0 if there is no such clock.
std::uint64_t read_clock(clockid_t clock) noexcept {
  timespec t{};
  if (::clock_gettime(clock, &t) != 0) return 0;
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
}

}  // namespace

std::uint64_t now_ns() noexcept { return read_clock(CLOCK_MONOTONIC); }
std::uint64_t raw_ns() noexcept { return read_clock(CLOCK_MONOTONIC); }
std::uint64_t thread_cpu_ns() noexcept { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

cpu_clock own_cpu_clock() noexcept {
  clockid_t clock{};
  return {::pthread_getcpuclockid(::pthread_self(), &clock) == 0 ? clock : CLOCK_THREAD_CPUTIME_ID};
}

std::uint64_t read_cpu_clock(cpu_clock clock) noexcept { return read_clock(static_cast<clockid_t>(clock.number)); }

}  // namespace ashlar::inline v1::os
