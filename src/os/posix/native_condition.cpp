// SPDX-License-Identifier: Apache-2.0
// Conditions with deadlines on the monotonic clock.
#include "os/native_calls.h"

#include <cerrno>
#include <ctime>

namespace ashlar::inline v1::os {

int make_condition(native_condition& c) noexcept {
  pthread_condattr_t attributes;
  int error = ::pthread_condattr_init(&attributes);
  if (error != 0) return error;
  error = ::pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  if (error == 0) error = ::pthread_cond_init(&c, &attributes);
  ::pthread_condattr_destroy(&attributes);
  return error;
}

int wait_for(native_condition& c, native_mutex& m, std::uint64_t deadline, bool& over) noexcept {
  over = false;
  if (deadline == 0) return ::pthread_cond_wait(&c, &m);
  constexpr std::uint64_t ns_per_s = 1'000'000'000;
  timespec until{};
  until.tv_sec = static_cast<time_t>(deadline / ns_per_s);
  until.tv_nsec = static_cast<long>(deadline % ns_per_s);
  int const error = ::pthread_cond_timedwait(&c, &m, &until);
  over = error == ETIMEDOUT;
  return over ? 0 : error;
}

}  // namespace ashlar::inline v1::os
