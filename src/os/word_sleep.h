// SPDX-License-Identifier: Apache-2.0
// The bare calls under a lock that sleeps: without a deadline and with wake-ups that come to nothing. os/futex.h has
// more. Inline, so that the allocator, which links nothing of this layer, has them. errno may change.
#pragma once

#include <ashlar/base/atomic.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace os {

// Sleeps while the word holds `expected`, until somebody wakes it, or for less.
void sleep_on(atomic<std::uint32_t>& word, std::uint32_t expected) noexcept;
// Wakes one thread of this process that sleeps on the word.
void wake_one(atomic<std::uint32_t>& word) noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar

#if defined(__linux__)
#include "os/linux/word_sleep.h"
#elif defined(__APPLE__)
#include "os/darwin/word_sleep.h"
#elif defined(__FreeBSD__)
#include "os/freebsd/word_sleep.h"
#elif defined(_WIN32)
#include "os/windows/word_sleep.h"
#endif
