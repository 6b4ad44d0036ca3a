// SPDX-License-Identifier: Apache-2.0
// tbb::task_group: functions that run as tasks until somebody waits.
#pragma once

#include <ashlar/base/throw.h>
#include <ashlar/sched/core/words_scope.h>
#include <ashlar/sched/tasks/own_wait.h>
#include <ashlar/sched/tasks/task_handle.h>

#include <exception>

namespace ashlar {
inline namespace v1 {
namespace sched {

struct group_access;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar

namespace tbb {

/// An extension: the argument of waits that take only the tasks of their own group.
struct own_tasks_only_t {
  explicit own_tasks_only_t() = default;
};
inline constexpr own_tasks_only_t own_tasks_only{};

/// Functions that run as tasks. run() from any thread, also from tasks of the group; wait() returns when all functions
/// that were run have returned. One group may be used again after wait().
///
/// Exceptions: the first one that leaves a function cancels the group and is rethrown by wait(). Cancelled: functions
/// that have not started are dropped, and wait() returns canceled; after that the group is as new. Where several
/// threads wait, one of them gets the exception; the others return canceled, or complete if they look when the group is
/// as new. A group that is destroyed while tasks are outstanding cancels them, waits, and throws missing_wait (unless
/// the destructor runs because of an exception). A wait in a task of the group itself can't end: it throws unsafe_wait,
/// also if it is called through algorithms or task_arena::execute; not if the group has a context of the program's.
/// Cost: about 10 ns for a function that nobody steals, without a locked instruction beyond the deque's.
class task_group {
 public:
  task_group() : task_group(ashlar::sched::this_slot()) {}
  /// The group's tasks belong to the given context, which must outlive the group.
  task_group(task_group_context& its_context) : task_group(ashlar::sched::this_slot(), its_context) {}
  task_group(task_group const&) = delete;
  task_group& operator=(task_group const&) = delete;

  ~task_group() noexcept(false) { finish(); }

  /// Makes f available as a task; f is copied or moved, and called as a constant if it can be. Throws what that throws,
  /// and std::bad_alloc. f may return the task_handle of a task of this group: that one runs next on the same thread.
  template <typename F>
  ASHLAR_REQUIRES(ashlar::sched::is_task_function<F>)
  void run(F&& f) {
    static_assert(ashlar::sched::is_task_function<F>,
                  "task_group::run: the function must be copyable or movable, and callable without arguments");
    using function = std::decay_t<F>;
    if constexpr (ashlar::sched::returns_handle<function>) {
      run(defer(std::forward<F>(f)));
    } else {
      slot& s = ashlar::sched::this_slot();
      using job = ashlar::sched::function_job<function>;
      start(s, *ashlar::sched::make_group_job<job>(s, counter_, *context_, std::forward<F>(f)));
    }
  }
#if ASHLAR_CONSTRAINED
  template <typename F>
  void run(F&&) = delete;  // needs a function that is copyable or movable, and callable without arguments
#endif
#if !ASHLAR_CLASSIC_DIALECT
  /// A task for f that does not run before its handle is passed to run(). wait() waits for it, too.
  template <typename F>
  ASHLAR_REQUIRES(ashlar::sched::is_task_function<F>)
  task_handle defer(F&& f) {
    using job = ashlar::sched::deferred_function<std::decay_t<F>>;
    slot& s = ashlar::sched::this_slot();
    auto* const j = ashlar::sched::make_group_job<job>(s, counter_, *context_, std::forward<F>(f));
    counter_.add(s);
    return task_handle(j);
  }
  /// Runs a deferred task of this group as soon as its predecessors are over. The handle is empty afterwards.
  void run(task_handle&& h) {
    if (auto* const j = h.take()) ashlar::sched::start_deferred(ashlar::sched::this_slot(), *j);
  }
  task_group_status run_and_wait(task_handle&& h) {
    run(std::move(h));
    return wait();
  }

  /// `successor`, which has not been run, starts after `predecessor` is over: whether it has been run or not, is over
  /// already, or is dropped. Throws std::bad_alloc. O(1). Different successors may be ordered at the same time.
  static void set_task_order(task_handle& predecessor, task_handle& successor) {
    predecessor.job().shared_node().precede(successor.job());
  }
  static void set_task_order(task_completion_handle& predecessor, task_handle& successor) {
    predecessor.node().precede(successor.job());
  }
  /// To be called by a task: what waits for its completion waits for that of `h`'s task instead, which has not been
  /// run. Throws std::bad_alloc.
  static void transfer_this_task_completion_to(task_handle& h) { ashlar::sched::transfer_completion(h.job()); }

  /// task_complete: the task's function has returned; canceled: it has thrown, or will not run; else not_complete.
  task_group_status get_status_of(task_completion_handle& h) noexcept { return h.status(); }
  /// Runs tasks until that one is over, but not its successors; returns its status. An exception is left to wait().
  task_group_status wait_for_task(task_completion_handle& h) {
    h.node().wait(ashlar::sched::this_slot());
    ashlar::tsan::acquire(&counter_);
    return h.status();
  }
  task_group_status run_and_wait_for_task(task_handle&& h) {
    task_completion_handle waited(h);
    run(std::move(h));
    return wait_for_task(waited);
  }
#endif
  /// run(f) and wait(); f is called by this thread, without copying it, if nobody else is faster.
  template <typename F>
  ASHLAR_REQUIRES(std::is_invocable_v<F const&>)
  task_group_status run_and_wait(F const& f) {
    if (ASHLAR_UNLIKELY(own_tasks_only_)) return run_and_wait(f, own_tasks_only);
    call_here(f);
    return wait();
  }

  task_group_status wait() {
    ashlar::sched::slot& s = ashlar::sched::this_slot();
    if (!counter_.done()) run_down(s);
    if (ASHLAR_LIKELY(!s.cancelled(context_))) return complete;
    return end_cancelled();
  }

  /// An extension. The same, but while the calling thread waits it runs nothing but tasks of the group, of the groups
  /// and algorithms that these have begun, and what all of them spawn: so it comes back when the longest of these is
  /// over, whatever else there is to do in the program. Other threads run the group's tasks as always. The region is
  /// that of this_task_arena::isolate: waits in the tasks that this thread runs meanwhile take nothing else either.
  ///
  /// A loop that another thread has begun for one of the tasks is left to others. Tasks of the group that were spawned
  /// in another arena, or enqueued, are run by the threads there: this thread waits for them, and runs none. O(jobs of
  /// the calling task) more than wait(). While there is nothing to run the thread looks at all jobs of the arena again
  /// after 1, 2, 4, 4, ... ms.
  task_group_status wait(own_tasks_only_t) {
    ashlar::sched::slot& s = ashlar::sched::this_slot();
    if (!counter_.done()) run_down_own(s);
    if (ASHLAR_LIKELY(!s.cancelled(context_))) return complete;
    return end_cancelled();
  }
  /// An extension. run(f) and wait(own_tasks_only); f, too, is called in the region of the wait.
  template <typename F>
  ASHLAR_REQUIRES(std::is_invocable_v<F const&>)
  task_group_status run_and_wait(F const& f, own_tasks_only_t) {
    ashlar::sched::slot& s = ashlar::sched::this_slot();
    {
      ashlar::sched::own_region region(s, *context_);
      call_here(f);
      if (!counter_.done()) wait_in(region, ashlar::sched::this_slot());
    }
    return wait(own_tasks_only);
  }

  void cancel() noexcept { context_->cancel(); }
  /// An extension: calls f once when the group is cancelled or a task of the group throws, as long as the object that
  /// this returns lives. See cancel_callback.
  template <typename F>
  [[nodiscard]] cancel_callback<std::decay_t<F>> on_cancel(F&& f) {
    return cancel_callback<std::decay_t<F>>(*context_, std::forward<F>(f));
  }
  /// Classic: true if the group is cancelled.
  bool is_canceling() noexcept { return context_->is_cancelled(); }

 private:
  friend class isolated_task_group;
  friend struct ashlar::sched::group_access;
  using context = ashlar::sched::context;
  using slot = ashlar::sched::slot;

  void finish() {
    if (ASHLAR_LIKELY(counter_.done())) return;
    bool const unwinding = std::uncaught_exceptions() > 0;
    cancel();
    slot& s = ashlar::sched::this_slot();
    if (ASHLAR_UNLIKELY(own_tasks_only_)) {
      ashlar::sched::own_region region(s, *context_);
      counter_.wait_in(region, s);
    } else {
      counter_.wait(s);
    }
    context_->reset();
    if (!unwinding) ashlar::throw_exception(ashlar::exception_id::missing_wait);
  }
  explicit task_group(slot& s) noexcept
      : own_(s.binding_group(), s.group().fp(), context::counted), context_(&own_), counter_(s) {}
  task_group(slot& s, task_group_context& its_context) noexcept
      : own_(nullptr, nullptr),
        context_(&its_context.use(s)),
        own_tasks_only_(context_->waits_for_own_tasks_only()),
        counter_(s) {}

  // The calling thread calls f as a task of the group.
  template <typename F>
  void call_here(F const& f) {
    slot& s = ashlar::sched::this_slot();
    if (s.cancelled(context_)) return;
    counter_.add(s);  // another thread's wait() includes f
    {
      ashlar::sched::words_scope const words(s);
      ashlar::sched::captured_scope const settings(s, *context_);
      ashlar::sched::group_scope const scope(s, *context_);
      ASHLAR_TRY {
        if constexpr (ashlar::sched::returns_handle<F const>) {
          if (auto next = f(); next != nullptr) run(std::move(next));
        } else {
          f();
        }
      }
      ASHLAR_CATCH_ALL { context_->record_exception(); }
    }
    counter_.finish(&s, ashlar::sched::this_slot());  // f may have been suspended and resumed on another thread
  }

  template <typename Job>
  ASHLAR_ALWAYS_INLINE void start(slot& s, Job& j) {
    counter_.add(s);
    ASHLAR_TRY { s.spawn(j); }
    ASHLAR_CATCH_ALL {
      counter_.undo(s);
      Job::destroy(s, &j);
      ASHLAR_RETHROW;
    }
  }

  // Own tasks first, straight from the deque; then whatever there is. Most groups have one.
  ASHLAR_ALWAYS_INLINE void run_down(slot& s) {
    if (ASHLAR_UNLIKELY(own_tasks_only_)) return run_down_own(s);
    if (s.may_have_other_words()) return run_with_other_words(s);
    if (s.run_newest() && counter_.done()) return;
    run_rest(s);
  }
  ASHLAR_COLD void run_with_other_words(slot& s) {
    ashlar::sched::words_scope const words(s);
    run_rest(s);
  }
  ASHLAR_NOINLINE void run_rest(slot& s) {
    for (;;) {
      std::int64_t const before = counter_.ended_here();
      if (!s.run_newest()) break;
      if (counter_.done_after(before)) return;
    }
    ashlar::sched::refuse_own_wait(s, own_);
    counter_.wait(s);
  }
  ASHLAR_NOINLINE void run_down_own(slot& s) {
    ashlar::sched::own_region region(s, *context_);
    wait_in(region, s);
  }
  void wait_in(ashlar::sched::own_region& region, slot& s) {
    ashlar::sched::refuse_own_wait(s, own_);
    counter_.wait_in(region, s);
  }
  ASHLAR_NOINLINE task_group_status end_cancelled() {
    std::exception_ptr const what = context_->take_exception();
    context_->reset();
    if (what) std::rethrow_exception(what);
    return canceled;
  }

  context own_;
  context* context_;
  bool const own_tasks_only_ = false;  // the context says so
  ashlar::sched::group_counter counter_;
};

/// True in a task or in the body of a library algorithm.
inline bool is_inside_task() noexcept {
  ashlar::sched::slot const* const s = ashlar::sched::current_slot;
  return s != nullptr && !s->outside_tasks();
}

/// True if the innermost running task belongs to a group that is cancelled.
inline bool is_current_task_group_canceling() {
  ashlar::sched::slot& s = ashlar::sched::this_slot();
  return s.cancelled(s.group());
}

}  // namespace tbb
