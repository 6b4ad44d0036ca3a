// SPDX-License-Identifier: Apache-2.0
// Sleeping on a word by macOS's ulocks (os/word_sleep.h), which libc++ uses for std::atomic's wait, too. The functions
// are in the system's library and in no header of its.
#pragma once

#include <ashlar/base/atomic.h>

#include <cstdint>

// Both return a negative error number where the operation says so.
extern "C" int __ulock_wait(std::uint32_t operation, void* word, std::uint64_t expected, std::uint32_t microseconds);
extern "C" int __ulock_wake(std::uint32_t operation, void* word, std::uint64_t unused);

namespace ashlar {
inline namespace v1 {
namespace os {

// UL_COMPARE_AND_WAIT, of this process, with ULF_NO_ERRNO.
inline constexpr std::uint32_t ulock_wait_while_equal = 0x01000001;

inline void sleep_on(atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  ::__ulock_wait(ulock_wait_while_equal, word.address(), expected, 0);
}
inline void wake_one(atomic<std::uint32_t>& word) noexcept {
  ::__ulock_wake(ulock_wait_while_equal, word.address(), 0);
}

}  // namespace os
}  // namespace v1
}  // namespace ashlar
