// SPDX-License-Identifier: Apache-2.0
// Tasks of isolated regions that have a name (isolate_within_arena with an address: an isolated_task_group). They are
// spawned in one region of that name and waited for in another, so that in a deque they lie below the wait's own jobs,
// or behind others' jobs in another thread's deque, where an isolated wait, which may run nothing else, would not find
// them.
//
// So each has two ways to be run: a messenger, the job that lies in the deque, and a place in a table by the region's
// tag, where the waits of the region look. Who unlinks it from the table runs it; the messenger is freed by the thread
// that takes it from the deque.
//
// Threads    any. All of a bucket is guarded by its lock, which is held for the table's own operations only.
// Invariant  whoever adds a task wakes the waits of its tag that sleep; a wait registers before it looks the last time.
// Model      tests/model/compat12_tasks_model.cpp
#pragma once

#include <ashlar/sched/core/slot.h>

namespace ashlar {
inline namespace v1 {
namespace compat12 {

// Tags of named regions; native ones count up from 1 and never come here.
inline constexpr std::uint32_t named_region = 0x80000000u;
inline std::uint32_t tag_of_name(std::intptr_t name) noexcept {
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(name) * 0x9E3779B97F4A7C15u) >> 33) | named_region;
}
ASHLAR_ALWAYS_INLINE bool in_named_region(sched::slot const& here) noexcept {
  return static_cast<std::int64_t>(here.key()) < 0;
}

// Spawns the job, whose isolation is that of the calling task. Throws std::bad_alloc (then nothing has happened).
void spawn_isolated(sched::slot& here, sched::job& what);
// Takes the oldest job of the region; null if there is none that nobody has begun.
sched::job* take_isolated(std::uint32_t tag, sched::job_key& key) noexcept;
bool any_isolated(std::uint32_t tag) noexcept;

// A job that the calling thread has popped goes back, because a region's thread may run the region's jobs only: tasks
// of other regions lie above the base, too, where named regions are nested. False if the thread may run it.
inline bool put_back(sched::slot& here, sched::job_key region, sched::job& what, sched::job_key key) noexcept {
  if (sched::isolation_of(region) == 0 || sched::isolation_of(region) == sched::isolation_of(key)) return false;
  here.spawn(what, key);  // there was room for it; and somebody may have looked for it meanwhile
  return true;
}

// A region with a name, for a scope. What it leaves lies where it was pushed: waits put strangers back, and the table
// has the tasks, too. (sched::isolation_scope would give all to the arena, which hands messengers to unrestricted
// threads only.) If nothing was spawned in it, or less than was run, its end frees the newest of the messengers whose
// tasks were taken from the table; else a thread that runs and waits in such regions only keeps all of them.
class named_region_scope {
 public:
  explicit named_region_scope(std::intptr_t name)
      : here_(sched::this_slot()), before_(here_.bottom()), outer_(here_.begin_region(tag_of_name(name))) {}
  named_region_scope(named_region_scope const&) = delete;
  named_region_scope& operator=(named_region_scope const&) = delete;
  ~named_region_scope() {
    here_.end_region(outer_);
    if (here_.bottom() <= before_) sweep();
  }

 private:
  void sweep() noexcept;

  sched::slot& here_;
  sched::slot::index const before_;
  sched::slot::region const outer_;
};

// A thread that may sleep in slot::wait for `address` wants to hear of jobs with the tag.
class isolated_sleeper {
 public:
  isolated_sleeper(std::uint32_t tag, void const* address) noexcept : tag_(tag), address_(address) {}
  isolated_sleeper(isolated_sleeper const&) = delete;
  isolated_sleeper& operator=(isolated_sleeper const&) = delete;
  ~isolated_sleeper() {
    if (registered_) leave();
  }
  // False: there are such jobs.
  bool announce() noexcept;

 private:
  friend class isolated_bucket;
  void leave() noexcept;

  std::uint32_t const tag_;
  void const* const address_;
  bool registered_ = false;
  isolated_sleeper* next_ = nullptr;
};

}  // namespace compat12
}  // namespace v1
}  // namespace ashlar
