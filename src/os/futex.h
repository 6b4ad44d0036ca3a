// SPDX-License-Identifier: Apache-2.0
// Sleeping on a 32-bit word until another thread of this process wakes the sleeper. Any thread may call
// anything here. Waking a word that nobody waits on is allowed and costs one system call.
//
// A waiter re-checks its condition in a loop: a wake-up says "look again", not "it is true". These calls
// order nothing by themselves; the accesses to the word do. errno is left as it was.
#pragma once

#ifdef ASHLAR_MODEL
#include <engine/os.h>
#else

#include <ashlar/base/atomic.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace os {

// Sleeps while `word` holds `expected`; returns at once if it holds something else. Signals do not end the
// sleep.
void futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected) noexcept;

// The same for at most `nanoseconds` of CLOCK_MONOTONIC time. False: the time is over and nobody woke us.
// A span that reaches beyond the end of the clock means "for ever".
bool futex_wait_for(atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t nanoseconds) noexcept;

// Wakes at most `count` sleepers, those that came first first; INT_MAX means all.
void futex_wake(atomic<std::uint32_t>& word, int count) noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar
#endif  // ASHLAR_MODEL
