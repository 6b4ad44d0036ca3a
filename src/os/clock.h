// SPDX-License-Identifier: Apache-2.0
// Clocks: ticks() is the processor's counter (a few ns per reading), now_ns() the monotonic time of the
// kernel, the one that futex deadlines use. Any thread may call anything here.
#pragma once

#include <ashlar/os/ticks.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace os {

// Nanoseconds of CLOCK_MONOTONIC.
std::uint64_t now_ns() noexcept;
// The same of a clock that no adjustment of the time changes the rate of; the raw source where there is one.
std::uint64_t raw_ns() noexcept;
// How long the calling thread has run on a processor so far.
std::uint64_t thread_cpu_ns() noexcept;

// The clock of the time that one thread has run on a processor, for other threads to read while it lives.
struct cpu_clock {
  std::int64_t number = 0;  // the system's
};
cpu_clock own_cpu_clock() noexcept;
// 0 if the system doesn't tell.
std::uint64_t read_cpu_clock(cpu_clock clock) noexcept;

// The counter, not ordered against neighbouring instructions. It runs at a constant rate on all processors of
// the last fifteen years; differences between readings on two sockets may be off by some ticks.
using v1::ticks;

// The rate of ticks(). Where the processor does not tell it, it is measured against CLOCK_MONOTONIC_RAW since
// the library was loaded, and the answer becomes final after 10 ms; an earlier one is good to about 0.1 %.
// A call waits only if the library was loaded less than 50 us ago, and then until these are over.
double ticks_per_ns() noexcept;
// The same, good to 6 %, for thresholds. A call when the library is loaded waits for one or two microseconds; to ask
// the hardware would take a virtual machine 5 us for each cpuid instruction.
double rough_ticks_per_ns() noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar
