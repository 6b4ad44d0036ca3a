// SPDX-License-Identifier: Apache-2.0
// The seat of a thread in an arena: the deque and what the fast paths touch. A thread sits in one slot at a time
// and finds it through one thread-local pointer. The slot outlives the thread's stay; jobs left in its deque are
// found by thieves.
//
// Threads    everything here is the owner's but the deque's thief side and `attention`.
// Ordering   [S1] spawn: bottom store, light fence, attention load <-> [S2] parking: attention or-ed, heavy
//                 fence, rescan of the deques (src/sched/README.md, 'Parking')
//            [C7] see context.h
// Cost       spawn: the deque's push plus one load and branch.
#pragma once

#include <ashlar/base/tsan.h>
#include <ashlar/sched/attention.h>
#include <ashlar/sched/context.h>
#include <ashlar/sched/deque.h>
#include <ashlar/sched/seat.h>
#include <ashlar/sched/task_pool.h>
#include <ashlar/sched/wait_target.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

class arena;
class thread_data;
class stack_set;
class slot;

// The slot of the calling thread, or null before its first use of the library.
extern ASHLAR_EXPORT ASHLAR_INITIAL_EXEC __thread slot* current_slot;

// Gives the calling thread a slot in an arena of its own. Throws std::bad_alloc.
ASHLAR_EXPORT ASHLAR_COLD slot& attach_thread();

ASHLAR_ALWAYS_INLINE slot& this_slot() {
  slot* const s = current_slot;
  return ASHLAR_LIKELY(s != nullptr) ? *s : attach_thread();
}

// What the occupant of a seat is, or does.
enum seat_state : unsigned char { seat_of_application, seat_of_idle_worker, seat_of_busy_worker };

class alignas(no_sharing) slot {
 public:
  using index = deque::index;

  slot() noexcept = default;
  slot(slot const&) = delete;
  slot& operator=(slot const&) = delete;

  // Makes a job available to thieves. Throws std::bad_alloc (then nothing has happened).
  ASHLAR_ALWAYS_INLINE void spawn(job& what, job_key key) {
    tsan::release(&what);
    deque_.push(&what, key);
    fence_light();  // [S1]
    if (ASHLAR_UNLIKELY(attention_.load(mo::relaxed) != 0)) attend();
  }
  ASHLAR_ALWAYS_INLINE void spawn(job& what) { spawn(what, key_ + 1); }

  // The same for a job that may be too small to be worth a theft: awake thieves leave it alone while it is young, and
  // nobody is woken for it (decision record 6). `first`: of its loop; thieves count these.
  ASHLAR_EXPORT void offer(job& what, job_key key, bool first = true);
  // Makes those at `from` and above ordinary ones.
  ASHLAR_EXPORT void unreserve(index from) noexcept;
  // False if no other thread can take part in this arena's work.
  ASHLAR_EXPORT bool can_share() const noexcept;
  // The number of threads that may take part in it, the caller included.
  ASHLAR_EXPORT unsigned parallelism() const noexcept;

  // The number of other threads that could help now: those that look for work here, and those that the market could
  // send. A guess.
  ASHLAR_EXPORT unsigned helpers() const noexcept;

  ASHLAR_ALWAYS_INLINE job* pop() noexcept { return deque_.pop(); }
  ASHLAR_ALWAYS_INLINE index bottom() const noexcept { return deque_.bottom(); }
  ASHLAR_ALWAYS_INLINE std::uint32_t attention_bits() const noexcept { return attention_.load(mo::relaxed); }

  // True if the calling task must not start anything new because its context is cancelled.
  ASHLAR_ALWAYS_INLINE bool cancelled(context& c) const noexcept {
    return ASHLAR_UNLIKELY(attention_.load(mo::relaxed) & attention_cancel) && check_cancelled(c);
  }

  // True if something keeps the owner from its fast path through a task: a cancelled context, statistics, a trace.
  ASHLAR_ALWAYS_INLINE bool disturbed() const noexcept {
    return ASHLAR_UNLIKELY(attention_.load(mo::relaxed) & (attention_cancel | attention_observe));
  }
  // Bracket a job that the caller has taken back and runs in its own frame, for the trace. To be called while
  // disturbed().
  ASHLAR_EXPORT ASHLAR_COLD static void begin_taken_back(job& what) noexcept;
  ASHLAR_EXPORT ASHLAR_COLD static void end_taken_back(job& what) noexcept;

  // Runs a job that was popped or stolen, and what it returns, as a task of its own: nested waits take back only what
  // was spawned since.
  ASHLAR_EXPORT void run(job* what, job_key key) noexcept;
  // The same for a job that the owner popped itself: without looking after the floating-point settings, which only a
  // job of another group could have changed.
  ASHLAR_ALWAYS_INLINE void run_own(job* what, job_key key) noexcept {
    if (ASHLAR_UNLIKELY(attention_.load(mo::relaxed) & attention_observe)) return run(what, key);
    index const base = base_;
    job_key const outer_key = key_;
    context* const outer_context = context_;
    fp_settings const* const outer_fp = fp_;
    base_ = bottom();
    key_ = running_key(key);
    do {
      what = what->run(what, *this);
    } while (ASHLAR_UNLIKELY(what != nullptr));
    base_ = base;
    key_ = outer_key;
    context_ = outer_context;
    if (ASHLAR_UNLIKELY(fp_ != outer_fp)) switch_fp(outer_fp);
  }
  // Runs other jobs until the target is reached; parks when there are none. The target's address is not touched after
  // done() returned true.
  ASHLAR_EXPORT void wait(wait_target const& target) noexcept;
  // Makes `group` the running task's group and gives the thread its floating-point settings. For jobs that begin on
  // this thread; slot::run undoes both.
  ASHLAR_ALWAYS_INLINE void enter(context& group) noexcept {
    context_ = &group;
    if (ASHLAR_UNLIKELY(group.fp() != fp_)) switch_fp(group.fp());
  }
  task_pool& pool() const noexcept { return *pool_; }
  bool outside_tasks() const noexcept { return context_ == &root_; }
  ASHLAR_EXPORT void switch_fp(fp_settings const* wanted) noexcept;
  // Hands the job to the arena's queue of enqueued jobs: first in, first out, never popped by its spawner first.
  ASHLAR_EXPORT void enqueue(job& what, int priority);

  // True if the owner, a worker, is to go elsewhere: what lies in its deque is for others then.
  ASHLAR_ALWAYS_INLINE bool recalled() const noexcept {
    return ASHLAR_UNLIKELY(attention_.load(mo::relaxed) & attention_recall) && is_recalled();
  }
  // The owner begins with something that many thieves may come for: the jobs that it pushes next are theirs, too, from
  // the start.
  ASHLAR_EXPORT void expect_thieves() noexcept;

  // Runs enqueued jobs of high priority, of which attention_urgent tells.
  ASHLAR_EXPORT ASHLAR_COLD void run_urgent() noexcept;

  // Owner's state of the running task. Whoever changes one restores it.
  context* context_ = &root_;  // innermost running task's group; the root outside of any task
  job_key key_ = 0;            // isolation and depth of the running task
  index base_ = 0;             // a wait pops down to here: what lies below belongs to enclosing frames
  task_pool* pool_ = nullptr;  // the sitting thread's small objects
  thread_data* thread_ = nullptr;
  arena* arena_ = nullptr;
  void* task_ = nullptr;             // innermost running classic task
  fp_settings const* fp_ = nullptr;  // what the thread's control words are set to; null: the thread's own settings
  fp_settings own_fp_;               // those, while others are in force (a worker's own are the arena's)
  stack_set* stacks_ = nullptr;      // if a task was ever suspended here
  deque deque_;
  context root_{nullptr, nullptr};
  unsigned index_ = 0;  // position in the arena
  mutable atomic<std::uint32_t> attention_{0};
  seat seat_;                           // of thread_data
  atomic<std::uint32_t> offers_{0};     // reserved jobs ever pushed here (decision record 6)
  atomic<unsigned> cpu_{0};             // where the occupant ran when it sat down
  std::uint64_t announced_ = 0;  // the newest observer that knows of the occupant
  atomic<unsigned char> state_{0};  // seat_state, for those who look from outside
  bool outsider_ = false;               // an application thread sits where a worker could
  bool tells_ = false;                  // has to tell of its leaving, and counts a reference of the arena

 private:
  ASHLAR_EXPORT ASHLAR_COLD void attend();
  ASHLAR_EXPORT ASHLAR_COLD bool check_cancelled(context& c) const noexcept;
  ASHLAR_EXPORT ASHLAR_COLD bool is_recalled() const noexcept;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
