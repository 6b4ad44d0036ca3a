// SPDX-License-Identifier: Apache-2.0
// tbb::structured_task_group and make_task of classic TBB: a group whose tasks are objects of the caller, so that a
// run allocates nothing.
#pragma once

#include <ashlar/sched/tasks/task_group.h>

namespace tbb {

class structured_task_group;

/// A function as a task object. It outlives the wait() that follows its run(), and is run at most once in a wait.
template <typename F>
class structured_task {
 public:
  explicit structured_task(F const& f) : function_(f), job_(*this) {}
  structured_task(structured_task const& other) : function_(other.function_), job_(*this) {}
  structured_task& operator=(structured_task const&) = delete;
  void operator()() const { function_(); }

 private:
  friend class structured_task_group;

  struct own_job : ashlar::sched::job {
    explicit own_job(structured_task& t) noexcept : job{&run_it}, task(&t) {}

    static job* run_it(job* self, ashlar::sched::slot& here) noexcept {
      auto& j = *static_cast<own_job*>(self);
      ashlar::sched::group_counter& counter = *j.counter;
      ashlar::sched::slot* const by = j.by;
      here.enter(*j.group);
      if (!here.cancelled(j.group)) call(j);
      j.scheduled = false;
      counter.finish(by, here);
      return nullptr;
    }
    static void call(own_job& j) noexcept {
      ASHLAR_TRY { (*j.task)(); }
      ASHLAR_CATCH_ALL { j.group->record_exception(); }
    }

    structured_task* task;
    ashlar::sched::group_counter* counter = nullptr;
    ashlar::sched::context* group = nullptr;
    ashlar::sched::slot* by = nullptr;
    bool scheduled = false;
  };

  F function_;
  own_job job_;
};

template <typename F>
ASHLAR_REQUIRES(std::is_invocable_v<F const&>)
structured_task<F> make_task(F const& f) {
  return structured_task<F>(f);
}

#if ASHLAR_CLASSIC_DIALECT
template <typename F>
using task_handle = structured_task<F>;
#endif

/// Like task_group, for a group that lives in one function: run() and wait() by the thread that made it, tasks owned by
/// the caller. run() of a task that is already scheduled throws invalid_multiple_scheduling.
class structured_task_group {
 public:
  structured_task_group() : structured_task_group(ashlar::sched::this_slot()) {}
  structured_task_group(structured_task_group const&) = delete;
  structured_task_group& operator=(structured_task_group const&) = delete;
  ~structured_task_group() noexcept(false) {
    if (counter_.done()) return;
    bool const unwinding = std::uncaught_exceptions() > 0;
    context_.cancel();
    counter_.wait(ashlar::sched::this_slot());
    if (!unwinding) ashlar::throw_exception(ashlar::exception_id::missing_wait);
  }

  template <typename F>
  void run(structured_task<F>& task) {
    auto& j = task.job_;
    if (j.scheduled) ashlar::throw_exception(ashlar::exception_id::invalid_multiple_scheduling);
    ashlar::sched::slot& s = ashlar::sched::this_slot();
    j.counter = &counter_;
    j.group = &context_;
    j.by = &s;
    j.scheduled = true;
    counter_.add(s);
    ASHLAR_TRY { s.spawn(j); }
    ASHLAR_CATCH_ALL {
      counter_.undo(s);
      j.scheduled = false;
      ASHLAR_RETHROW;
    }
  }
  template <typename F>
  task_group_status run_and_wait(structured_task<F>& task) {
    run(task);
    return wait();
  }
  template <typename F>
  ASHLAR_REQUIRES(std::is_invocable_v<F const&>)
  task_group_status run_and_wait(F const& f) {
    structured_task<F> task(f);
    return run_and_wait(task);
  }
  task_group_status wait() {
    ashlar::sched::slot& s = ashlar::sched::this_slot();
    counter_.wait(s);
    if (!s.cancelled(context_)) return complete;
    std::exception_ptr const what = context_.take_exception();
    context_.reset();
    if (what) std::rethrow_exception(what);
    return canceled;
  }
  void cancel() noexcept { context_.cancel(); }
  bool is_canceling() noexcept { return context_.is_cancelled(); }

 private:
  explicit structured_task_group(ashlar::sched::slot& s) noexcept
      : context_(s.binding_group(), s.group().fp()), counter_(s) {}

  ashlar::sched::context context_;
  ashlar::sched::group_counter counter_;
};

}  // namespace tbb
