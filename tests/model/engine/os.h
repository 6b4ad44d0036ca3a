// SPDX-License-Identifier: Apache-2.0
// The checker's futex and membarrier: src/os/futex.h and src/os/membarrier.h include this file in place of
// their own declarations when ASHLAR_MODEL is set.
#pragma once

#include <ashlar/base/atomic.h>

namespace ashlar {
inline namespace v1 {
namespace os {

void futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected, char const* f = __builtin_FILE(),
                unsigned l = __builtin_LINE()) noexcept;
// The time is over when nothing else can happen, or earlier within options::timeouts.
bool futex_wait_for(atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t nanoseconds,
                    char const* f = __builtin_FILE(), unsigned l = __builtin_LINE()) noexcept;
// Any of the sleepers may be woken. Only the address of the word is used: it may be gone.
void futex_wake(atomic<std::uint32_t>& word, int count, char const* f = __builtin_FILE(),
                unsigned l = __builtin_LINE()) noexcept;

inline bool heavy_fence_available() noexcept { return !heavy_fence_missing; }
// A fence of the caller, then one of every other thread at the point it has reached when its turn comes (as
// membarrier interrupts one core after the other), then one of the caller again. Where heavy_fence_missing: the
// caller's.
// As much as a thousand pops with a fence.
inline std::uint64_t heavy_fence_ticks() noexcept { return 1000 * 16; }
void heavy_fence(char const* f = __builtin_FILE(), unsigned l = __builtin_LINE()) noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar
