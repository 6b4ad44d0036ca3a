// SPDX-License-Identifier: Apache-2.0
// Futexes by FreeBSD's umtx.
#include "os/futex.h"

#include "os/clock.h"

#include <sys/types.h>
#include <sys/umtx.h>

#include <cerrno>
#include <ctime>
#include <limits>

namespace ashlar::inline v1::os {

namespace {

constexpr std::uint64_t ns_per_s = 1'000'000'000;

// Returns 0 or the error number, and keeps errno: a task that waits must not see it change.
int umtx_call(std::uint32_t* word, int operation, std::uint32_t value, _umtx_time* deadline) noexcept {
  int const saved = errno;
  // The size stands in the place of an address.
  auto* const size = reinterpret_cast<void*>(deadline != nullptr ? sizeof *deadline : 0);
  int const error = ::_umtx_op(word, operation, value, size, deadline) != 0 ? errno : 0;
  errno = saved;
  return error;
}

}  // namespace

void futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  while (umtx_call(word.address(), UMTX_OP_WAIT_UINT_PRIVATE, expected, nullptr) == EINTR) {
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
  _umtx_time deadline{};
  deadline._timeout.tv_sec = static_cast<time_t>(end / ns_per_s);
  deadline._timeout.tv_nsec = static_cast<long>(end % ns_per_s);
  deadline._flags = UMTX_ABSTIME;
  deadline._clockid = CLOCK_MONOTONIC;
  for (;;) {
    int const error = umtx_call(word.address(), UMTX_OP_WAIT_UINT_PRIVATE, expected, &deadline);
    if (error != EINTR) return error != ETIMEDOUT;
  }
}

void futex_wake(atomic<std::uint32_t>& word, int count) noexcept {
  umtx_call(word.address(), UMTX_OP_WAKE_PRIVATE, static_cast<std::uint32_t>(count), nullptr);
}

}  // namespace ashlar::inline v1::os
