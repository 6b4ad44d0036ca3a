// SPDX-License-Identifier: Apache-2.0
// tbb::task_group and tbb::task_handle: functions that run as tasks until somebody waits.
#pragma once

#include <ashlar/base/throw.h>
#include <ashlar/sched/group_counter.h>
#include <ashlar/sched/task_group_context.h>

#include <cstddef>
#include <exception>

namespace tbb {

enum task_group_status { not_complete, complete, canceled, task_complete };

class task_group;

#if !ASHLAR_CLASSIC_DIALECT
// A task that has been made (task_group::defer) and not been run yet. Move-only. The group waits for it from run() on; a
// task that is never run is destroyed with its handle.
class task_handle {
 public:
  task_handle() noexcept = default;
  task_handle(task_handle&& other) noexcept : job_(std::exchange(other.job_, nullptr)), drop_(other.drop_) {}
  task_handle& operator=(task_handle&& other) noexcept {
    if (this != &other) {
      reset();
      job_ = std::exchange(other.job_, nullptr);
      drop_ = other.drop_;
    }
    return *this;
  }
  ~task_handle() { reset(); }

  explicit operator bool() const noexcept { return job_ != nullptr; }
  friend bool operator==(task_handle const& h, std::nullptr_t) noexcept { return h.job_ == nullptr; }
  friend bool operator!=(task_handle const& h, std::nullptr_t) noexcept { return h.job_ != nullptr; }
#if __cplusplus < 202002L
  friend bool operator==(std::nullptr_t, task_handle const& h) noexcept { return h.job_ == nullptr; }
  friend bool operator!=(std::nullptr_t, task_handle const& h) noexcept { return h.job_ != nullptr; }
#endif

 private:
  friend class task_group;
  using drop_function = void (*)(ashlar::sched::slot& here, ashlar::sched::group_job* j) noexcept;

  task_handle(ashlar::sched::group_job* j, drop_function drop) noexcept : job_(j), drop_(drop) {}
  void reset() noexcept {
    if (job_ != nullptr) drop_(ashlar::sched::this_slot(), job_);
    job_ = nullptr;
  }

  ashlar::sched::group_job* job_ = nullptr;
  drop_function drop_ = nullptr;
};
#endif

// Functions that run as tasks. run() from any thread, also from tasks of the group; wait() returns when all functions
// that were run have returned. One group may be used again after wait().
//
// Exceptions: the first one that leaves a function cancels the group and is rethrown by wait(). Cancelled: functions
// that have not started are dropped, and wait() returns canceled; after that the group is as new.
// A group that is destroyed while tasks are outstanding cancels them, waits, and throws missing_wait (unless the
// destructor runs because of an exception).
// Cost: about 10 ns for a function that nobody steals, without a locked instruction beyond the deque's.
class task_group {
 public:
  task_group() : task_group(ashlar::sched::this_slot()) {}
  // The group's tasks belong to the given context, which must outlive the group.
  explicit task_group(task_group_context& context) : task_group(ashlar::sched::this_slot(), context) {}
  task_group(task_group const&) = delete;
  task_group& operator=(task_group const&) = delete;

  ~task_group() noexcept(false) {
    if (ASHLAR_LIKELY(counter_.done())) return;
    bool const unwinding = std::uncaught_exceptions() > 0;
    cancel();
    counter_.wait(ashlar::sched::this_slot());
    context_->reset();
    if (!unwinding) ashlar::throw_exception(ashlar::exception_id::missing_wait);
  }

  // Makes f available as a task; f is copied or moved. Throws what that throws, and std::bad_alloc.
  template <typename F>
  void run(F&& f) {
    using function = std::decay_t<F>;
    ashlar::sched::slot& s = ashlar::sched::this_slot();
    auto* const j = ashlar::sched::make_function_job<function>(s, counter_, *context_, std::forward<F>(f));
    start(s, *j, &drop<function>);
  }
#if !ASHLAR_CLASSIC_DIALECT
  // A task for f that does not run before its handle is passed to run().
  template <typename F>
  task_handle defer(F&& f) {
    using function = std::decay_t<F>;
    return task_handle(ashlar::sched::make_function_job<function>(ashlar::sched::this_slot(), counter_, *context_,
                                                                  std::forward<F>(f)),
                       &drop<function>);
  }
  // Runs a deferred task of this group. The handle is empty afterwards.
  void run(task_handle&& h) {
    ashlar::sched::slot& s = ashlar::sched::this_slot();
    h.job_->by = &s;
    start(s, *std::exchange(h.job_, nullptr), h.drop_);
  }
  task_group_status run_and_wait(task_handle&& h) {
    run(std::move(h));
    return wait();
  }
#endif
  // run(f) and wait(); f is called by this thread, without copying it, if nobody else is faster.
  template <typename F>
  task_group_status run_and_wait(F const& f) {
    ashlar::sched::slot& s = ashlar::sched::this_slot();
    if (!s.cancelled(*context_)) {
      ashlar::sched::group_scope const scope(s, *context_);
      ASHLAR_TRY {
        f();
      } ASHLAR_CATCH_ALL {
        context_->record_exception();
      }
    }
    return wait();
  }

  task_group_status wait() {
    ashlar::sched::slot& s = ashlar::sched::this_slot();
    if (!counter_.done()) run_down(s);
    if (ASHLAR_LIKELY(!s.cancelled(*context_))) return complete;
    return end_cancelled();
  }

  void cancel() noexcept { context_->cancel(); }
  // Classic: true if the group is cancelled.
  bool is_canceling() noexcept { return context_->is_cancelled(); }

 private:
  using context = ashlar::sched::context;
  using slot = ashlar::sched::slot;
  using drop_function = void (*)(slot& here, ashlar::sched::group_job* j) noexcept;

  explicit task_group(slot& s) noexcept
      : own_(s.outside_tasks() ? nullptr : s.context_, s.context_->fp()), context_(&own_), counter_(s) {}
  task_group(slot& s, task_group_context& context) noexcept
      : own_(nullptr, nullptr), context_(&context.use(s)), counter_(s) {}

  template <typename F>
  static void drop(slot& here, ashlar::sched::group_job* j) noexcept {
    ashlar::sched::function_job<F>::destroy(here, static_cast<ashlar::sched::function_job<F>*>(j));
  }

  ASHLAR_ALWAYS_INLINE void start(slot& s, ashlar::sched::group_job& j, drop_function drop_it) {
    counter_.add(s);
    ASHLAR_TRY {
      s.spawn(j);
    } ASHLAR_CATCH_ALL {
      counter_.undo(s);
      drop_it(s, &j);
      ASHLAR_RETHROW;
    }
  }

  // Own tasks first, straight from the deque; then whatever there is.
  ASHLAR_ALWAYS_INLINE void run_down(slot& s) {
    while (s.bottom() > s.base_) {
      ashlar::sched::job_key key;
      ashlar::sched::job* const j = s.deque_.pop(key);
      if (j == nullptr) break;
      s.run_own(j, key);
      if (counter_.done()) return;
    }
    counter_.wait(s);
  }
  ASHLAR_NOINLINE task_group_status end_cancelled() {
    std::exception_ptr const what = context_->take_exception();
    context_->reset();
    if (what) std::rethrow_exception(what);
    return canceled;
  }

  context own_;
  context* context_;
  ashlar::sched::group_counter counter_;
};

// True if the innermost running task belongs to a group that is cancelled.
inline bool is_current_task_group_canceling() {
  ashlar::sched::slot& s = ashlar::sched::this_slot();
  return s.cancelled(*s.context_);
}

}  // namespace tbb
