// SPDX-License-Identifier: Apache-2.0
// What the scheduler did: the counters of the IISWC'08 breakdown, summed over all threads. ASHLAR_STATS=1 switches
// them on from the start and prints a summary at exit.
//
// Thread safety: any thread. Sums are exact once nothing runs.
#pragma once

#include <ashlar/base/config.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

struct scheduler_statistics {
  std::uint64_t spawned;        // jobs made available to thieves          (only while observing)
  std::uint64_t executed;       // jobs run by the dispatcher              (only while observing)
  std::uint64_t stolen;         // jobs taken from another slot's deque
  std::uint64_t failed_steals;  // attempts on a deque that was empty
  std::uint64_t conflicts;      // attempts that another thread was faster at
  std::uint64_t mailed;         // jobs received through affinity
  std::uint64_t dequeued;       // enqueued jobs taken
  std::uint64_t parks;          // times that a thread went to sleep
  std::uint64_t wakes;          // times that one was woken
  // Clock ticks spent in each scheduler activity                           (only while observing)
  std::uint64_t spawn_ticks;          // telling others of a new job; the few instructions of the push are not in it
  std::uint64_t get_task_ticks;       // taking jobs off the own deque in the dispatch loops
  std::uint64_t steal_ticks;          // rounds of thefts, with or without success
  std::uint64_t wait_ticks;           // waiting for tasks, without the jobs that were run meanwhile; includes
                                      // get_task_ticks and steal_ticks of the waiting thread, and its sleep
  std::uint64_t acquire_queue_ticks;  // from choosing a victim until its oldest job is claimed or lost
};

ASHLAR_EXPORT scheduler_statistics read_statistics() noexcept;
ASHLAR_EXPORT void reset_statistics() noexcept;
// Switches the counters that cost time on or off.
ASHLAR_EXPORT void observe_statistics(bool on) noexcept;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
