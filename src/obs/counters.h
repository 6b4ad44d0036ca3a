// SPDX-License-Identifier: Apache-2.0
// What a thread did: the breakdown of the IISWC'08 paper. Slow events (thefts, parking) are counted always, because
// that costs nothing beside them; frequent ones (spawn, execution) and times only while observing() is true.
//
// Threads: a thread writes its own counters, anyone reads them (relaxed: sums are approximate while work runs).
#pragma once

#include <ashlar/base/atomic.h>
#include <ashlar/base/cache_line.h>

#include <cstddef>
#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace obs {

enum class counter : unsigned {
  spawned,
  executed,
  stolen,
  failed_steals,  // the victim's deque was empty
  conflicts,      // another thread claimed the job first
  mailed,         // jobs received through affinity
  dequeued,       // enqueued jobs taken
  parks,
  wakes,
  spawn_ticks,
  get_task_ticks,
  steal_ticks,
  wait_ticks,
  acquire_queue_ticks,  // from choosing a victim until its oldest job is claimed or lost
  refused_steals,       // the victim's oldest job was not for the thief, or not yet
  count
};

inline constexpr std::size_t counter_count = static_cast<std::size_t>(counter::count);
inline constexpr char const* counter_names[counter_count] = {
    "spawned",       "executed", "stolen",      "failed_steals",  "conflicts",   "mailed",     "dequeued",
    "parks",         "wakes",    "spawn_ticks", "get_task_ticks", "steal_ticks", "wait_ticks", "acquire_queue_ticks",
    "refused_steals"};

class alignas(no_sharing) counters {
 public:
  void add(counter what, std::uint64_t n = 1) noexcept {
    auto& c = values_[static_cast<std::size_t>(what)];
    c.store(c.load(mo::relaxed) + n, mo::relaxed);
  }
  std::uint64_t get(counter what) const noexcept { return values_[static_cast<std::size_t>(what)].load(mo::relaxed); }
  void reset() noexcept {
    for (auto& v : values_) v.store(0, mo::relaxed);
  }

 private:
  atomic<std::uint64_t> values_[counter_count];
};

}  // namespace obs
}  // namespace v1
}  // namespace ashlar
