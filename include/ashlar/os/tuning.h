// SPDX-License-Identifier: Apache-2.0
// What things cost on a usual machine, which decides what is worth doing. Everything else that is a length of time and
// is compared with the processor's counter is a multiple of one of these prices, in the file that compares, except in
// locks, which have lengths of their own. They were found as ticks of an AMD Zen 5 and are written as the times that
// those ticks are at 2.5 GHz.
//
// Threads    any. The values are constants from the moment when the library is loaded; before that, in constructors
//            that run earlier, they are those of a 2.5 GHz counter.
#pragma once

#include <ashlar/base/config.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace os {

/// The thresholds in ticks of a counter. Compiled programs have copies of the object, and contain the offsets of
/// `small_loop` and `scan_chunk`.
struct tuning {
  constexpr explicit tuning(double ticks_per_ns) noexcept : rate(ticks_per_ns) {}

  /// The ticks of a length of time, one at least.
  constexpr std::uint64_t ticks_of_ns(double ns) const noexcept {
    double const ticks = ns * rate;
    return ticks < 1 ? 1 : static_cast<std::uint64_t>(ticks);
  }
  constexpr std::uint64_t ticks_of_us(double us) const noexcept { return ticks_of_ns(us * 1000); }

  /// Ticks per nanosecond.
  double rate;

  /// A loop with less work wakes nobody: waking costs the waker 6 us and comes too late then (decision record 6).
  std::uint64_t small_loop = ticks_of_us(10);
  /// A chunk of parallel_scan: below about 75 us memory did not stream.
  std::uint64_t scan_chunk = ticks_of_us(80);

  // Locks (src/sync).
  /// Looks at a contended lock become rarer up to this gap, because each takes the line from the holder: 45 to 80 ns
  /// between near processors, 215 to 290 ns between far ones.
  std::uint64_t lock_longest_gap = ticks_of_ns(1600);
  /// A waiter spins for so long before it yields and sleeps: about as long as sleeping and waking take.
  std::uint64_t lock_spin = ticks_of_us(16);
  /// The first look at a lock for sections of some ten nanoseconds: several of them pass meanwhile. Chosen.
  std::uint64_t brief_lock_gap = ticks_of_ns(200);
  /// The first look of a thread that comes to an empty or a full queue: the other side makes room or elements for some
  /// ten operations meanwhile, which then cost one exchange of cache lines.
  std::uint64_t queue_gap = ticks_of_ns(400);
  /// A running thread overtakes the sleeping waiters of a queuing lock for as long as a wake-up takes: 50 to 100 us.
  std::uint64_t lock_overtaking = ticks_of_us(80);
};

// Prices that the library alone compares with: no compiled program contains their offsets.
/// A theft costs the victim, who waits for the cache lines that the thief has taken, about as long: 80 ns between near
/// processors, 340 between far ones, for each line.
inline constexpr double theft_ns = 200;
/// From a call to a sleeping thread until it has a job: 20 to 100 us.
inline constexpr double wake_up_us = 50;
/// A pause that is over sooner is short: an idle thread expects the next one to be as short, and stays awake (idle.h).
/// Loops of 80 us with pauses of 200 us take 1.05 of the ideal with ten wake-ups, 1.28 without; 300 us lose the pauses
/// of 400 us, 1000 us gain nothing more.
inline constexpr double short_pause_us = 10 * wake_up_us;

#ifdef ASHLAR_MODEL
inline tuning tuned(2.5);
#else
/// The thresholds in ticks() of this processor. Only the library writes it, when it is loaded.
extern ASHLAR_EXPORT tuning tuned;
#endif

}  // namespace os
}  // namespace v1
}  // namespace ashlar
