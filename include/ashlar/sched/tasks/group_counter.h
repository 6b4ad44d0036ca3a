// SPDX-License-Identifier: Apache-2.0
// Counting the tasks of a group and waiting for them, and the job that carries a function.
//
// The group counts in two halves, so that tasks which the group's own thread runs and executes cost no locked
// instruction: run_here_ and done_here_ (plain moves by the owner thread: run, and executed here from the own deque),
// run_elsewhere_ and done_elsewhere_ (locked: run by another thread, and every other completion). All four only grow;
// the group is done when as many tasks are over as were run.
//
// Ordering   [N1] completion elsewhere: add, acq_rel -> [N2] wait: done_elsewhere_ acquire (results of the tasks)
//            [N3] owner's completion: release        -> [N4] another thread's wait: done_here_ acquire
//            [N5] owner: done_here_ store, light fence, foreign_group_waiters load
//                 <-> [N6] other waiter: counts itself, heavy fence, recheck
// Model      tests/model/task_group_model.cpp; protocol: src/sched/README.md, 'Task groups'
#pragma once

#include <ashlar/sched/core/fork_join.h>
#include <ashlar/sched/core/own_jobs.h>
#include <ashlar/sched/queue/task_pool.h>

#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace sched {

/// Threads that wait for a group which another thread owns.
extern ASHLAR_EXPORT atomic<std::uint32_t> foreign_group_waiters;

/// Counting and waiting; nothing that depends on a functor's type.
class group_counter {
 public:
  explicit group_counter(slot& s) noexcept : owner_(&s) {}
  group_counter(group_counter const&) = delete;
  group_counter& operator=(group_counter const&) = delete;

  /// Called by the spawning thread before its push. `s`: the thread's slot; null: it has none.
  ASHLAR_ALWAYS_INLINE void add(slot& s) noexcept { add(&s); }
  ASHLAR_ALWAYS_INLINE void add(slot const* s) noexcept {
    if (ASHLAR_LIKELY(s == owner_)) {
      run_here_.store(run_here_.load(mo::relaxed) + 1, mo::relaxed);
    } else {
      run_elsewhere_.fetch_add(1, mo::relaxed);
    }
  }
  /// Takes back an add() whose push failed.
  void undo(slot& s) noexcept {
    if (&s == owner_) {
      done_here_.store(done_here_.load(mo::relaxed) + 1, mo::relaxed);
    } else {
      finish_elsewhere();
    }
  }
  /// A task that was run() by `by` has been executed on `here`. The group may be gone when this returns.
  ASHLAR_ALWAYS_INLINE void finish(slot* by, slot& here) noexcept { finish(by, &here); }
  ASHLAR_ALWAYS_INLINE void finish(slot const* by, slot const* here) noexcept {
    tsan::release(this);
    // A thief doesn't read owner_: it lies beside what the owner writes for every task.
    if (ASHLAR_LIKELY(by == here && by == owner_)) {
      done_here_.store(done_here_.load(mo::relaxed) + 1, mo::release);  // [N3]
      fence_asymmetric();                                               // [N5]
      // The flag is global because the group may be gone by now.
      if (ASHLAR_UNLIKELY(foreign_group_waiters.load(mo::relaxed) != 0)) wake_waiters(this);
    } else {
      finish_elsewhere();
    }
  }

  ASHLAR_ALWAYS_INLINE bool done() const noexcept {
    std::int64_t const before = over();
    bool const all = before == run();
    if (all) tsan::acquire(this);
    return all;
  }
  // Whether all but others(of) are over. These are in that number after their add() and before their finish() only: it
  // is read, with acquire, between the completions and the runs.
  using number = std::int64_t (*)(void const* of) noexcept;
  bool done_but_for(number others, void const* of) const noexcept {
    std::int64_t const before = over() + others(of);
    bool const all = before >= run();
    if (all) tsan::acquire(this);
    return all;
  }
  ASHLAR_ALWAYS_INLINE bool is_of(slot const& s) const noexcept { return &s == owner_; }
  /// Tasks that the owner ran and executed.
  ASHLAR_ALWAYS_INLINE std::int64_t ended_here() const noexcept { return done_here_.load(mo::relaxed); }
  /// done(), for a loop over own jobs: fetches the line that thieves write only if the last job was not one of those,
  /// or none of them is left. Once tasks have been stolen it may be one job late.
  ASHLAR_ALWAYS_INLINE bool done_after(std::int64_t ended_before) const noexcept {
    std::int64_t const ended = ended_here();
    return (ended == ended_before || ended == run_here_.load(mo::relaxed)) && done();
  }
  /// Runs tasks until the group is done.
  void wait(slot& s) noexcept {
    wait_for_all(s);
    tsan::acquire(this);
  }
  /// The same, but the thread runs only what `region` takes.
  ASHLAR_EXPORT void wait_in(own_region& region, slot& s) noexcept;
  /// The same until done_but_for() them.
  ASHLAR_EXPORT void wait_but_for(number others, void const* of, slot& s) noexcept;
  /// The same, but returns as well when the group `unless` is cancelled: then false, and tasks of the counter may be
  /// left. A sleeping waiter looks when somebody calls wake_waiters(this).
  ASHLAR_EXPORT bool wait_unless(slot& s, context& unless, char const* what) noexcept;
  /// From now on the last completion calls wake_waiters; false if the group is done. `foreign`: the waiter is not the
  /// owner.
  bool announce(bool foreign) noexcept;

 private:
  // done_elsewhere_ counts in units of 2; bit 0: a waiter sleeps.
  static constexpr std::int64_t one = 2;

  // Completions are counted before runs: README.md says why.
  ASHLAR_ALWAYS_INLINE std::int64_t over() const noexcept {
    return (done_elsewhere_.load(mo::acquire) >> 1) +  // [N2]
           done_here_.load(mo::acquire);               // [N4]
  }
  ASHLAR_ALWAYS_INLINE std::int64_t run() const noexcept {
    return run_here_.load(mo::relaxed) + run_elsewhere_.load(mo::relaxed);
  }
  // sleeps(foreign): announce(), and whether it is not done yet.
  template <typename Done, typename Sleeps>
  void wait_for(slot& s, char const* what, Done const& done_now, Sleeps const& sleeps,
                own_jobs const* only = nullptr) noexcept;
  ASHLAR_EXPORT void wait_for_all(slot& s) noexcept;
  // Ends also when stop() is true; may_sleep() is asked after the waiter can be woken.
  template <typename Stop, typename MaySleep>
  void wait_or(slot& s, char const* what, Stop stop, MaySleep may_sleep, own_jobs const* only = nullptr) noexcept;
  ASHLAR_EXPORT ASHLAR_NOINLINE void finish_elsewhere() noexcept;

  slot* const owner_;  // only compared
  // What each thread reads for each task, this and what lies before a counter, lies in another cache line than what the
  // owner writes for each, and what thieves write in yet another, wherever the group lies.
  [[maybe_unused]] unsigned char read_apart_[no_sharing - sizeof(slot*)];
  atomic<std::int64_t> run_here_{0};
  atomic<std::int64_t> done_here_{0};
  [[maybe_unused]] unsigned char written_apart_[no_sharing - sizeof(std::int64_t)];
  atomic<std::int64_t> run_elsewhere_{0};
  atomic<std::int64_t> done_elsewhere_{0};
};

/// A task of a group. The functor follows in the derived class.
struct group_job : context_job {
  group_job(entry e, group_counter& c, context& g, slot& s) noexcept : context_job(e, g), counter(&c), by(&s) {}

  group_counter* counter;
  slot* by;
  task_pool* home = nullptr;
};

/// As oneTBB, the const call where there is one; other functions need not have it.
template <typename F>
ASHLAR_ALWAYS_INLINE decltype(auto) call_const_first(F& f) {
  if constexpr (std::is_invocable_v<F const&>) {
    return static_cast<F const&>(f)();
  } else {
    return f();
  }
}

template <typename F>
struct function_job : group_job {
  template <typename G>
  function_job(G&& f, group_counter& c, context& g, slot& s)
      : group_job(&run_it, c, g, s), function(std::forward<G>(f)) {}

  static job* run_it(job* self, slot& here) noexcept {
    auto& j = *static_cast<function_job*>(self);
    here.enter(*j.group);
    if (!here.cancelled(j.group)) call(j);
    group_counter& counter = *j.counter;
    slot* const by = j.by;
    destroy(here, &j);
    counter.finish(by, here);
    return nullptr;
  }
  static void call(function_job& j) noexcept {
    ASHLAR_TRY { call_const_first(j.function); }
    ASHLAR_CATCH_ALL { j.group->record_exception(); }
  }
  static void destroy(slot& here, function_job* j) noexcept {
    task_pool* const home = j->home;
    j->~function_job();
    here.pool().release(j, sizeof(function_job), home);
  }

  F function;
};

/// A job of the type Job, made of f.
template <typename Job, typename G>
ASHLAR_ALWAYS_INLINE Job* make_group_job(slot& s, group_counter& c, context& group, G&& f) {
  task_pool* home;
  void* const place = s.pool().allocate(sizeof(Job), home);
  Job* j;
  ASHLAR_TRY { j = new (place) Job(std::forward<G>(f), c, group, s); }
  ASHLAR_CATCH_ALL {
    s.pool().release(place, sizeof(Job), home);
    ASHLAR_RETHROW;
  }
  j->home = home;
  return j;
}

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
