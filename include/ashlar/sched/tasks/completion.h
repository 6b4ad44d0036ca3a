// SPDX-License-Identifier: Apache-2.0
// Tasks of a group that others may depend on: a deferred task has a handle, may wait for predecessors, and may be asked
// for its completion. What is known of the completion outlives the task, in a node that is made when somebody asks.
//
// Threads    a deferred task belongs to its handle until it is run; a node is shared.
// Invariants Y1 `holds` of a task counts its predecessors that are not over, and its handle. Who brings it to zero
//               owns the task: it is run, or destroyed if the handle was dropped.
//            Y2 a node completes once; a successor that comes later finds its list closed.
// Ordering   [Y1] hold given up: acq_rel -> [Y2] the last one runs the task (sees what its predecessors did)
//            [Y3] successor hung in: release -> [Y4] complete: list taken, acq_rel (the successor's contents), and
//                 [Y4] list closed -> [Y3] a later successor sees the closed list, acquire (what the task did)
//            [Y7] the node's last user sees what the others did (release <-> acquire)
#pragma once

#include <ashlar/sched/park/latch.h>
#include <ashlar/sched/tasks/group_counter.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

class completion;
class continuation;

struct deferred_job : group_job {
  /// The first calls the task's function and returns what it asked to run next (or null); the second ends the object.
  using call_function = deferred_job* (*)(deferred_job& j);
  using drop_function = void (*)(slot& here, deferred_job* j) noexcept;

  deferred_job(call_function c, drop_function d, group_counter& count, context& g, slot& s) noexcept
      : group_job(&run_it, count, g, s), call(c), drop(d) {}
  ASHLAR_EXPORT static job* run_it(job* self, slot& here) noexcept;
  /// The node, made on the first call. Throws std::bad_alloc.
  ASHLAR_EXPORT completion& shared_node();
  /// The handle runs the task: true if it is ready, else its last predecessor spawns it.
  bool release_handle() noexcept {
    return holds.load(mo::acquire) == one_hold ||               // [Y2] nobody else knows of it
           holds.fetch_sub(one_hold, mo::acq_rel) == one_hold;  // [Y1] [Y2]
  }
  /// What waits for this task, which is running, waits for `to` instead, which has not been run. Throws std::bad_alloc.
  void give_completion(deferred_job& to);
  /// The handle is dropped.
  ASHLAR_EXPORT void abandon() noexcept;
  /// Ends a task that nobody knows of any more and that is not to be run.
  void destroy() noexcept;

  /// In units of 2; bit 0: the handle was dropped.
  static constexpr std::uint32_t one_hold = 2;

  call_function call;
  drop_function drop;
  arena* into = nullptr;  // where it is enqueued once it is ready (a reference); null: it is spawned
  atomic<completion*> node{nullptr};
  atomic<std::uint32_t> holds{one_hold};
};

class completion {
 public:
  enum : std::uint32_t { pending = 0, completed = 1, canceled = 2 };

  /// The maker's reference is the task's.
  completion() noexcept = default;
  completion(completion const&) = delete;
  completion& operator=(completion const&) = delete;
  void retain() noexcept { users_.fetch_add(1, mo::relaxed); }
  void release() noexcept {
    if (users_.fetch_sub(1, mo::acq_rel) == 1) delete this;  // [Y7]
  }

  /// pending, completed, or canceled: the task's function did not run, or threw.
  std::uint32_t status() const noexcept { return end_.value(); }
  /// Runs other tasks until the task is over.
  ASHLAR_EXPORT void wait(slot& s) noexcept;
  /// The task, which its handle still holds, starts after this one. Throws std::bad_alloc.
  ASHLAR_EXPORT void precede(deferred_job& successor);
  /// `waiting` goes on after this task. False: the task is over, and nothing waits. Throws std::bad_alloc.
  ASHLAR_EXPORT bool precede(continuation& waiting);
  /// `other` completes when this does.
  void carry(completion& other);
  /// The task is over. Returns a task that is ready now, if there is one, to be run in the task's place; others are
  /// spawned, and all if a thread waits for the task, which may be the calling one. Drops the task's reference.
  static deferred_job* complete(completion* first, slot& here, std::uint32_t status) noexcept;

 private:
  struct successor;
  static successor* closed() noexcept;
  bool hang_in(successor& s) noexcept;
  successor* finish(std::uint32_t status) noexcept;
  ~completion() = default;

  atomic<successor*> successors_{nullptr};
  latch end_;
  atomic<std::uint32_t> users_{1};
  atomic<bool> awaited_{false};  // a thread waits for the task by itself: it must come back when the task is over
};

/// Tasks that wait for the completion of the calling thread's innermost task wait for that of `to` instead. `to` has
/// not been run. Throws std::bad_alloc.
ASHLAR_EXPORT void transfer_completion(deferred_job& to);
/// Spawns a task that is ready on the calling thread, or enqueues it where it belongs. Where there is no memory for
/// that, it is run at once.
ASHLAR_EXPORT void start_deferred(slot& here, deferred_job& j) noexcept;
/// Gives up the handle's hold; the task is enqueued in the arena when it is ready.
ASHLAR_EXPORT void enqueue_deferred(arena& a, deferred_job& j) noexcept;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
