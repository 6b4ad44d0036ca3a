// SPDX-License-Identifier: Apache-2.0
// What the scheduler knows of a classic task: a line in front of the object, which begins with a job. The prefix
// comes from the thread's task pool together with the object and dies with it.
//
// Threads    `references` and `thief` by anyone; everything else by the one thread that has the task in hand: its
//            maker until it is spawned, then the thread that runs it.
// Invariants X1 the references of a task that waits are one more than its unfinished children (the guard), those of a
//               continuation exactly their number; who brings a continuation's to 0 owns it and runs it.
//            X2 a thread that counts a child down may not touch the parent afterwards, unless it became its owner:
//               a waiter may be gone. Its address is still the key that wakes it.
// Ordering   [K1] child done: references down, acq_rel -> [K2] waiter: references acquire (the child's results)
//            [K4] see src/sched/tasks/child_count.h
// Model      tests/model/classic_task_model.cpp
// Cost       a child: the deque's, and 1 locked instruction for its parent's count unless it is the last child.
#pragma once

#include <ashlar/sched/queue/task_pool.h>
#include <ashlar/sched/tasks/task_group_context.h>

#include <cstdint>

namespace tbb {
class task;
}

namespace ashlar {
inline namespace v1 {
namespace sched {

struct task_prefix;
class arena_holder;

/// The entry point of every classic task: how the scheduler tells them from other jobs.
ASHLAR_EXPORT job* run_classic(job* self, slot& here) noexcept;

struct alignas(cache_line) task_prefix : job {
  /// foreign: of a group that it was given explicitly, while priorities are in use.
  enum : std::uint16_t { stolen = 1, enqueued = 2, to_be_enqueued = 4, foreign = 8 };
  static constexpr std::int64_t waiter_sleeps = INT64_MIN;
  static constexpr std::uint8_t large = 0xff;

  ASHLAR_ALWAYS_INLINE task_prefix(task_prefix* up, context* of, std::uint32_t level, task_pool* pool,
                                   std::uint8_t block_class, std::uint8_t initial_state) noexcept
      : job{&run_classic},
        parent(up),
        group(of),
        references(0),
        home(pool),
        depth(level),
        affinity(0),
        flags(0),
        thief(no_thief),
        spawner(0),
        state(initial_state),
        size_class(block_class) {}

  /// The number that the user sees, without the sleeper's bit.
  static constexpr std::int32_t count_of(std::int64_t references) noexcept {
    return static_cast<std::int32_t>(references);
  }
  std::int32_t count() const noexcept { return count_of(references.load(mo::acquire)); }  // [K2]
  /// True if affinity or flags ask for a closer look before the task runs.
  ASHLAR_ALWAYS_INLINE bool special() const noexcept {
    std::uint32_t both;
    __builtin_memcpy(&both, &affinity, sizeof both);  // one load for the two
    return both != 0;
  }
  ASHLAR_ALWAYS_INLINE job_key key(slot const& s) const noexcept {
    return (s.key() >> key_isolation_shift << key_isolation_shift) | (depth & key_depth_mask);
  }
  ASHLAR_ALWAYS_INLINE tbb::task& object() noexcept { return *reinterpret_cast<tbb::task*>(this + 1); }

  task_prefix* parent;
  context* group;
  atomic<std::int64_t> references;
  task_pool* home;
  task_prefix* next;  // in a task_list, undefined elsewhere
  std::uint32_t depth;
  std::uint16_t affinity;  // 1 + index of the slot it shall run on; 0: any
  std::uint16_t flags;
  atomic<std::uint32_t> thief;  // who runs a child of it that was stolen
  std::uint16_t spawner;        // index of the slot that made it ready
  std::uint8_t state;           // tbb::task::state_type
  std::uint8_t size_class;
};
static_assert(sizeof(task_prefix) == cache_line, "the object behind it begins on a line of its own");

/// Spawns a task whose affinity names another slot, or whose group has another priority than what runs.
ASHLAR_EXPORT void spawn_specially(slot& s, task_prefix& t);
/// Runs `first` (may be null), then other work until the waiting task's count is 1; sets it to 0 and rethrows the
/// exception of the waiting task's group.
ASHLAR_EXPORT void wait_for_children(task_prefix& waiting, task_prefix* first);
/// Runs the task and waits for it and all that it leaves behind.
ASHLAR_EXPORT void run_root_and_wait(task_prefix& root);
/// The same for a chain of `n` tasks linked by `next`.
ASHLAR_EXPORT void run_roots_and_wait(task_prefix& first, int n);
/// Spawns a list of tasks (`end` is where its last link lies) so that the first one runs first, and empties it. If
/// memory runs out, the list keeps those that are not spawned.
ASHLAR_EXPORT void spawn_list(task_prefix*& first, task_prefix**& end);
ASHLAR_EXPORT void enqueue_classic(task_prefix& t, int priority);
ASHLAR_EXPORT void enqueue_classic(task_prefix& t, arena_holder& where, int priority);
/// The count of a task was brought down by hand, to `left`: wakes its waiter if that is due.
ASHLAR_EXPORT ASHLAR_COLD void notify_waiter(task_prefix& waiting, std::int64_t left) noexcept;
/// The innermost running task, or a dummy task for the library algorithm or the outer code that runs.
ASHLAR_EXPORT task_prefix& running_task(slot& s);
/// Frees a block that is not from the calling thread's pool.
ASHLAR_EXPORT ASHLAR_COLD void release_foreign_task(task_prefix& t) noexcept;

ASHLAR_ALWAYS_INLINE void release_task(slot& s, task_prefix& t) noexcept {
  if (ASHLAR_UNLIKELY(t.home != &s.pool())) return release_foreign_task(t);
  s.pool().release(&t, (t.size_class + 1u) * task_pool::granule, t.home);
}

/// Memory with a filled prefix; returns the place for the object.
ASHLAR_ALWAYS_INLINE void* allocate_task(slot& s, std::size_t object_size, task_prefix* parent, context* group,
                                         std::uint32_t depth, std::uint8_t state) {
  std::size_t const size = object_size + sizeof(task_prefix);
  std::size_t const granules = (size - 1) / task_pool::granule;
  task_pool* home;
  void* const block = s.pool().allocate(size, home);
  std::uint8_t const size_class =
      granules < task_pool::classes ? static_cast<std::uint8_t>(granules) : task_prefix::large;
  return new (block) task_prefix(parent, group, depth, home, size_class, state) + 1;
}

ASHLAR_ALWAYS_INLINE task_prefix& prefix_of(void* object) noexcept { return static_cast<task_prefix*>(object)[-1]; }

ASHLAR_ALWAYS_INLINE void spawn_classic(slot& s, task_prefix& t, std::uint8_t ready_state) {
  t.state = ready_state;
  if (ASHLAR_UNLIKELY(t.special())) return spawn_specially(s, t);
  t.spawner = static_cast<std::uint16_t>(s.position());
  s.spawn(t, t.key(s));
}

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
