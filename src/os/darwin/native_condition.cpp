// SPDX-License-Identifier: Apache-2.0
// Conditions of macOS, which wait for a length of time: a condition has no other clock than the time of day.
#include "os/native_calls.h"

#include "os/clock.h"

#include <cerrno>
#include <ctime>

namespace ashlar::inline v1::os {

int make_condition(native_condition& c) noexcept { return ::pthread_cond_init(&c, nullptr); }

int wait_for(native_condition& c, native_mutex& m, std::uint64_t deadline, bool& over) noexcept {
  over = false;
  if (deadline == 0) return ::pthread_cond_wait(&c, &m);
  constexpr std::uint64_t ns_per_s = 1'000'000'000;
  std::uint64_t const now = now_ns();
  std::uint64_t const left = deadline > now ? deadline - now : 0;
  timespec const length{static_cast<time_t>(left / ns_per_s), static_cast<long>(left % ns_per_s)};
  int const error = ::pthread_cond_timedwait_relative_np(&c, &m, &length);
  over = error == ETIMEDOUT;
  return over ? 0 : error;
}

}  // namespace ashlar::inline v1::os
