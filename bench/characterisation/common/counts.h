// SPDX-License-Identifier: Apache-2.0
// What the scheduler counted during a run, for libraries that tell (Ashlar); an empty list for the others.
#pragma once

#include <cstdint>
#include <vector>

#if __has_include(<ashlar/sched/core/statistics.h>)
#include <ashlar/sched/core/statistics.h>
#define STUDY_COUNTS 1
#else
#define STUDY_COUNTS 0
#endif

namespace study {

#if STUDY_COUNTS
inline constexpr char const* count_names[] = {
    "spawned", "executed", "stolen",      "failed_steals",  "conflicts",   "mailed",     "dequeued",
    "parks",   "wakes",    "spawn_ticks", "get_task_ticks", "steal_ticks", "wait_ticks", "acquire_queue_ticks"};

inline std::vector<double> read_counts() {
  ashlar::sched::scheduler_statistics const s = ashlar::sched::read_statistics();
  std::vector<double> found;
  for (std::uint64_t v :
       {s.spawned, s.executed, s.stolen, s.failed_steals, s.conflicts, s.mailed, s.dequeued, s.parks, s.wakes,
        s.spawn_ticks, s.get_task_ticks, s.steal_ticks, s.wait_ticks, s.acquire_queue_ticks}) {
    found.push_back(static_cast<double>(v));
  }
  return found;
}

inline void observe_counts(bool on) { ashlar::sched::observe_statistics(on); }
#else
inline constexpr char const* count_names[] = {""};
inline std::vector<double> read_counts() { return {}; }
inline void observe_counts(bool) {}
#endif

// Ticks of the clock that the counters' times are in, and what one reading of it costs.
inline std::uint64_t ticks() { return __builtin_ia32_rdtsc(); }

inline double ticks_per_reading() {
  std::uint64_t const start = ticks();
  for (int i = 0; i < 10000; ++i) {
    (void)ticks();
  }
  return static_cast<double>(ticks() - start) / 10000;
}

}  // namespace study
