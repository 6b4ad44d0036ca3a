// SPDX-License-Identifier: Apache-2.0
// What the scheduler did: the counters of the IISWC'08 breakdown, of each thread and summed over all. ASHLAR_STATS=1
// switches them on from the start and prints a table at exit; ASHLAR_STATS=json prints one line of JSON.
//
// Thread safety: any thread. Sums are exact once nothing runs.
#pragma once

#include <ashlar/base/config.h>

#include <cstddef>
#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

struct scheduler_statistics {
  std::uint64_t spawned;        // jobs made available to thieves          (only while observing)
  std::uint64_t executed;       // jobs that ran                           (only while observing)
  std::uint64_t stolen;         // jobs taken from another slot's deque
  std::uint64_t failed_steals;  // attempts on a deque that was empty
  std::uint64_t conflicts;      // attempts that another thread was faster at
  std::uint64_t mailed;         // jobs received through affinity
  std::uint64_t dequeued;       // enqueued jobs taken
  std::uint64_t parks;          // times that a thread went to sleep
  std::uint64_t wakes;          // times that one was woken
  // ---- `…_ticks`: clock ticks spent in each activity of the scheduler, counted only while observing
  std::uint64_t spawn_ticks;          // telling others of a new job; the few instructions of the push are not in it
  std::uint64_t get_task_ticks;       // taking jobs off the own deque in the dispatch loops
  std::uint64_t steal_ticks;          // rounds of thefts, with or without success
  std::uint64_t wait_ticks;           // waiting for tasks, without the jobs that were run meanwhile; includes
                                      // get_task_ticks and steal_ticks of the waiting thread, and its sleep
  std::uint64_t acquire_queue_ticks;  // from choosing a victim until its oldest job is claimed or lost
  std::uint64_t
      refused_steals;  // attempts on a job that was not for the thief (isolation, affinity), or not yet (young)
};

/// What one thread did, or several one after the other: a new thread goes on with the counters of one that has ended.
struct thread_statistics {
  scheduler_statistics did;
  bool worker;      // or an application's thread
  unsigned number;  // from 1 among its kind
};

ASHLAR_EXPORT scheduler_statistics read_statistics() noexcept;
/// Fills up to `most` entries, and returns how many there are.
ASHLAR_EXPORT std::size_t read_statistics_of_threads(thread_statistics* to, std::size_t most) noexcept;
/// How many of the `…_ticks` are a nanosecond.
ASHLAR_EXPORT double statistics_ticks_per_ns() noexcept;

enum class statistics_form { table, json };
/// Writes all of it as a text, the table for people (at most 80 columns and 30 lines) or one line of JSON (times in
/// nanoseconds), and a zero behind it. What exceeds `room` bytes is cut off; returns how long the whole text is, as
/// snprintf does. Allocates nothing.
ASHLAR_EXPORT std::size_t write_statistics(char* to, std::size_t room, statistics_form form) noexcept;

ASHLAR_EXPORT void reset_statistics() noexcept;
// Switches the counters that cost time on or off.
ASHLAR_EXPORT void observe_statistics(bool on) noexcept;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
