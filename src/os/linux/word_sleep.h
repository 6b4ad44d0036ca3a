// SPDX-License-Identifier: Apache-2.0
// os/word_sleep.h with private futexes.
#pragma once

#include <ashlar/base/atomic.h>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace os {

inline void sleep_on(atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  ::syscall(SYS_futex, word.address(), FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}
inline void wake_one(atomic<std::uint32_t>& word) noexcept {
  ::syscall(SYS_futex, word.address(), FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

}  // namespace os
}  // namespace v1
}  // namespace ashlar
