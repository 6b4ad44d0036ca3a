// SPDX-License-Identifier: Apache-2.0
// Futexes by WaitOnAddress, which counts in milliseconds.
#include "os/futex.h"

#include "os/clock.h"
#include "os/windows/system.h"

#include <algorithm>
#include <climits>
#include <limits>

namespace ashlar::inline v1::os {

namespace {

// The program's last error stays: a task that waits must not see it change. False: the time is over.
bool sleep_once(atomic<std::uint32_t>& word, std::uint32_t expected, DWORD milliseconds) noexcept {
  DWORD const saved = ::GetLastError();
  bool const woken = ::WaitOnAddress(word.address(), &expected, sizeof expected, milliseconds) != 0;
  ::SetLastError(saved);
  return woken;
}

}  // namespace

void futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected) noexcept { sleep_once(word, expected, INFINITE); }

bool futex_wait_for(atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t nanoseconds) noexcept {
  std::uint64_t const start = now_ns();
  constexpr std::uint64_t end_of_clock = std::numeric_limits<std::int64_t>::max();
  if (nanoseconds >= end_of_clock - start) {
    futex_wait(word, expected);
    return true;
  }
  std::uint64_t const end = start + nanoseconds;
  constexpr std::uint64_t longest = INFINITE - 1;
  for (std::uint64_t now = start;; now = now_ns()) {
    std::uint64_t const milliseconds = now < end ? std::min((end - now + 999'999) / 1'000'000, longest) : 0;
    if (sleep_once(word, expected, static_cast<DWORD>(milliseconds))) return true;
    if (now >= end) return false;
  }
}

void futex_wake(atomic<std::uint32_t>& word, int count) noexcept {
  if (count == INT_MAX) {
    ::WakeByAddressAll(word.address());
    return;
  }
  for (int woken = 0; woken < count; ++woken) ::WakeByAddressSingle(word.address());
}

}  // namespace ashlar::inline v1::os
