// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sync/condition_variable.h>

#include "os/clock.h"
#include "os/native_calls.h"
#include "os/thread.h"

namespace ashlar::inline v1::sync {

void sleep_for(std::uint64_t nanoseconds) noexcept { os::sleep_ns(nanoseconds); }

std::uint64_t monotonic_ns() noexcept { return os::now_ns(); }

os_condition_variable::os_condition_variable() {
  if (int const error = os::make_condition(condition_)) {
    throw_os_error(error, "condition_variable: initialisation failed");
  }
}

cv_status os_condition_variable::wait_ns(unique_lock<os_mutex>& lock, std::uint64_t nanoseconds) {
  ASHLAR_ASSERT(lock.owns_lock(), "a condition variable is waited for without the lock");
  os::native_mutex& m = *lock.mutex()->native_handle();
  std::uint64_t const deadline = nanoseconds == wait_forever ? 0 : os::now_ns() + nanoseconds;
  bool over = false;
  if (os::wait_for(condition_, m, deadline, over) != 0) throw_exception(exception_id::condvar_wait_failed);
  return over ? timeout : no_timeout;
}

}  // namespace ashlar::inline v1::sync
