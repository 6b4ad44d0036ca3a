// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sync/condition_variable.h>

#include "os/clock.h"

#include <cerrno>
#include <ctime>

namespace ashlar::inline v1::sync {
namespace {

constexpr std::uint64_t ns_per_s = 1'000'000'000;

timespec to_timespec(std::uint64_t nanoseconds) noexcept {
  timespec t{};
  t.tv_sec = static_cast<time_t>(nanoseconds / ns_per_s);
  t.tv_nsec = static_cast<long>(nanoseconds % ns_per_s);
  return t;
}

}  // namespace

void sleep_for(std::uint64_t nanoseconds) noexcept {
  timespec rest = to_timespec(nanoseconds);
  while (::nanosleep(&rest, &rest) != 0 && errno == EINTR) {
  }
}

std::uint64_t monotonic_ns() noexcept { return os::now_ns(); }

os_condition_variable::os_condition_variable() {
  pthread_condattr_t attributes;
  int error = ::pthread_condattr_init(&attributes);
  if (!error) {
    error = ::pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (!error) error = ::pthread_cond_init(&condition_, &attributes);
    ::pthread_condattr_destroy(&attributes);
  }
  if (error) throw_os_error(error, "condition_variable: initialisation failed");
}

cv_status os_condition_variable::wait_ns(unique_lock<os_mutex>& lock, std::uint64_t nanoseconds) {
  ASHLAR_ASSERT(lock.owns_lock(), "a condition variable is waited for without the lock");
  pthread_mutex_t* const m = lock.mutex()->native_handle();
  int error;
  if (nanoseconds == wait_forever) {
    error = ::pthread_cond_wait(&condition_, m);
  } else {
    timespec const deadline = to_timespec(os::now_ns() + nanoseconds);
    error = ::pthread_cond_timedwait(&condition_, m, &deadline);
  }
  if (error == ETIMEDOUT) return timeout;
  if (error) throw_exception(exception_id::condvar_wait_failed);
  return no_timeout;
}

}  // namespace ashlar::inline v1::sync
