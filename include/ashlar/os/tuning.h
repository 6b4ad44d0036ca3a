// SPDX-License-Identifier: Apache-2.0
// Lengths of time that are compared with the processor's counter, except those that one file alone uses and has: how
// long, why, and what was measured; "chosen" means that no other value was measured. They were found as ticks of an AMD
// Zen 5 and are written as the times that those ticks are at 2.5 GHz.
//
// Threads    any. The values are constants from the moment when the library is loaded; before that, in constructors
//            that run earlier, they are those of a 2.5 GHz counter.
#pragma once

#include <ashlar/base/config.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace os {

/// The thresholds in ticks of a counter. Compiled programs contain the offsets of `small_loop`, `walk_batch` and
/// `scan_chunk`, so new members go to the end.
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

  // Loops and item walks (include/ashlar/algo).
  /// A loop with less work wakes nobody: waking costs the waker 6 us and comes too late then (decision record 6).
  std::uint64_t small_loop = ticks_of_us(10);
  /// A batch of items of parallel_for_each grows until it takes as long; of a longer one half is given away. Chosen.
  std::uint64_t walk_batch = ticks_of_us(8);
  /// A chunk of parallel_scan: below about 75 us memory did not stream.
  std::uint64_t scan_chunk = ticks_of_us(80);

  // Pipelines (src/algo/pipeline_pace.h).
  /// Tokens whose bodies take less in all are not even shared on trial: to wake a thread for that takes as long as some
  /// twenty of them.
  std::uint64_t short_pass = ticks_of_ns(600);
  /// Nothing reads this: programs have copies of the object, so what follows keeps its place.
  std::uint64_t unused = 0;

  // A thief's trial of small loops (src/sched/policy/small_loops.h, decision record 6).
  /// Long enough to count two loops of some microseconds; 2 x 1.5 us and 16 x 0.33 us were measured.
  std::uint64_t trial_window = ticks_of_us(20);
  /// The owner has done something else for so long: what was counted before tells nothing any more. Chosen.
  std::uint64_t trial_break = ticks_of_us(80);
  /// After three trials in vain, which disturb the owner for 60 us, 6 % of the first rest. Each further rest is twice
  /// as long as the last one, up to the longest. Chosen.
  std::uint64_t trial_rest = ticks_of_us(1000);
  std::uint64_t trial_longest_rest = ticks_of_us(64'000);

  // Waits (src/sched/arena/dispatch.cpp).
  /// A wait in a function of task_arena::execute leaves what was enqueued to a worker for so long: a hundred times what
  /// a sleeping worker takes to come. After that all workers are busy, perhaps with what waits for the enqueued job.
  /// (Programs have copies of this object: its size and the offsets stay.)
  std::uint64_t left_to_workers = ticks_of_us(10'000);

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

// Thresholds of the library alone, for tuned.ticks_of_us(): no compiled program contains their offsets.
/// A pause that is over sooner is short: an idle thread expects the next one to be as short, and stays awake (idle.h).
/// As long as ten wake-ups; loops of 80 us with pauses of 200 us take 1.05 of the ideal instead of 1.28.
inline constexpr double short_pause_us = 500;
/// A sleep that is over sooner cost more than it saved: a wake-up takes as long, and its caller some microseconds.
inline constexpr double brief_sleep_us = 50;
/// In a parallel phase (task_arena::start_parallel_phase) a worker stays awake for so long. Chosen, as oneTBB's.
inline constexpr double pause_in_phase_us = 1000;
/// A thread that has left more stacks than others on average lets these have the next job, until they have taken none
/// for so long: some wake latencies (stack_set.h). 200 us: 64 tasks a thread took up to 1.6 of the ideal instead
/// of 1.05.
inline constexpr double turn_of_others_us = 500;
/// A stolen job that took less, from the theft to the thief's next search, was not worth it (theft_memory.h).
inline constexpr double tiny_job_ns = 200;
/// The same for a job that was its victim's only one: the victim waits for the thief then. parallel_invoke of two
/// functions takes as long with a thief as without one if each of them takes 0.7 us.
inline constexpr double tiny_only_job_ns = 1000;
/// A thread whose thefts are not worth it pauses before the next one, at most for so long. With 2, 5 and 10 us
/// parallel_invoke of 2 x 0.2 us took 700, 570 and 550 ns (1000 without pauses for only jobs).
inline constexpr unsigned longest_theft_pause_ns = 5000;
/// The same for a thread that waits for something: the pause delays the end of its wait. Chosen.
inline constexpr unsigned longest_theft_pause_of_waiter_ns = 2000;
/// Sixteen messages of a node of a flow graph that take less, with what they cause on their thread, are short: while a
/// thief comes for each one, empty bodies of four nodes take 0.7 to 1.3 us a message.
inline constexpr double short_burst_us = 40;
/// Sixteen messages of a source that take less may be too short for a theft of what they cause: whether they are is
/// tried (source_burst.h). A second thread was a gain from 2.8 us on an EPYC, from 10 to 15 us on a Xeon.
inline constexpr double longest_kept_burst_us = 16;
/// Steps of a frozen graph that take so long together are one job. A wavefront of 10,000 empty nodes took 41, 23, 20
/// and 11 ns a node with two threads and 0, 2, 4 and 8 us; with bodies of 200 and 600 ns all took the same. The longer
/// a chunk, the longer others wait for what it completes.
inline constexpr double frozen_chunk_ns = 4000;

#ifdef ASHLAR_MODEL
inline tuning tuned(2.5);
#else
/// The thresholds in ticks() of this processor. Only the library writes it, when it is loaded.
extern ASHLAR_EXPORT tuning tuned;
#endif

}  // namespace os
}  // namespace v1
}  // namespace ashlar
