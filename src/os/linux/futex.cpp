// SPDX-License-Identifier: Apache-2.0
// Private futexes of Linux. The timed wait uses an absolute deadline, so that a signal does not lengthen it.
#include "os/futex.h"

#include "os/clock.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <limits>

namespace ashlar::inline v1::os {
namespace {

constexpr std::uint64_t ns_per_s = 1'000'000'000;

// Returns 0 or the error number, and keeps errno: a task that waits must not see it change.
int futex_call(std::uint32_t* word, int operation, std::uint32_t value, timespec const* deadline) noexcept {
  int const saved = errno;
  long const rc = ::syscall(SYS_futex, word, operation, value, deadline, nullptr, FUTEX_BITSET_MATCH_ANY);
  int const error = rc < 0 ? errno : 0;
  errno = saved;
  return error;
}

}  // namespace

void futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  // A wake-up that reaches this thread ends the call with 0, never with EINTR: going to sleep again after a
  // signal loses nothing.
  while (futex_call(word.address(), FUTEX_WAIT_PRIVATE, expected, nullptr) == EINTR) {
  }
}

bool futex_wait_for(atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t nanoseconds) noexcept {
  std::uint64_t const start = now_ns();
  constexpr std::uint64_t end_of_clock = std::numeric_limits<std::int64_t>::max();
  if (nanoseconds >= end_of_clock - start) {
    futex_wait(word, expected);
    return true;
  }
  std::uint64_t const end = start + nanoseconds;
  timespec deadline{};
  deadline.tv_sec = static_cast<time_t>(end / ns_per_s);
  deadline.tv_nsec = static_cast<long>(end % ns_per_s);
  for (;;) {
    int const error = futex_call(word.address(), FUTEX_WAIT_BITSET_PRIVATE, expected, &deadline);
    if (error != EINTR) return error != ETIMEDOUT;
  }
}

void futex_wake(atomic<std::uint32_t>& word, int count) noexcept {
  futex_call(word.address(), FUTEX_WAKE_PRIVATE, static_cast<std::uint32_t>(count), nullptr);
}

}  // namespace ashlar::inline v1::os
