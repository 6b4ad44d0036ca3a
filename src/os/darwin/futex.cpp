// SPDX-License-Identifier: Apache-2.0
// Futexes by macOS's ulocks.
#include "os/futex.h"

#include "os/clock.h"
#include "os/darwin/word_sleep.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <limits>

namespace ashlar::inline v1::os {

namespace {

constexpr std::uint32_t wake_all = 0x100;  // ULF_WAKE_ALL

// 0 microseconds: for ever. 0, or a negative error number.
int sleep_once(atomic<std::uint32_t>& word, std::uint32_t expected, std::uint32_t microseconds) noexcept {
  return std::min(0, ::__ulock_wait(ulock_wait_while_equal, word.address(), expected, microseconds));
}
// Nothing was lost: a signal came, or the page of the word was not there.
bool is_passing(int error) noexcept { return error == -EINTR || error == -EFAULT; }

}  // namespace

void futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  while (is_passing(sleep_once(word, expected, 0))) {
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
  constexpr std::uint64_t longest = std::numeric_limits<std::uint32_t>::max();  // 71 minutes
  for (std::uint64_t now = start; now < end; now = now_ns()) {
    std::uint64_t const microseconds = std::min((end - now + 999) / 1000, longest);
    int const error = sleep_once(word, expected, static_cast<std::uint32_t>(microseconds));
    if (error != -ETIMEDOUT && !is_passing(error)) return true;
  }
  return false;
}

void futex_wake(atomic<std::uint32_t>& word, int count) noexcept {
  if (count == INT_MAX) {
    ::__ulock_wake(ulock_wait_while_equal | wake_all, word.address(), 0);
    return;
  }
  // An error: nobody sleeps there any more.
  for (int woken = 0; woken < count; ++woken) {
    if (::__ulock_wake(ulock_wait_while_equal, word.address(), 0) == -ENOENT) return;
  }
}

}  // namespace ashlar::inline v1::os
