// SPDX-License-Identifier: Apache-2.0
// tbb::task_handle, a task of a group that has been made and not been run yet, and tbb::task_completion_handle, what
// one keeps of it to wait for it or to let other tasks wait.
#pragma once

#include <ashlar/base/assert.h>
#include <ashlar/sched/tasks/completion.h>
#include <ashlar/sched/tasks/task_group_context.h>

#include <cstddef>

namespace tbb {

/// What a wait for a group or for one of its tasks found. not_complete: the task is not over; complete: all tasks of
/// the group are; canceled: the group was cancelled (the task did not run, or threw); task_complete: the task is over.
enum task_group_status { not_complete, complete, canceled, task_complete };

#if !ASHLAR_CLASSIC_DIALECT

/// A task that task_group::defer has made. Move-only, one thread at a time. The group waits for it from defer() on; a
/// task that is not run is dropped with its handle, and counts as cancelled.
class task_handle {
 public:
  task_handle() noexcept = default;
  task_handle(task_handle&& other) noexcept : job_(std::exchange(other.job_, nullptr)) {}
  task_handle& operator=(task_handle&& other) noexcept {
    if (this != &other) {
      reset();
      job_ = std::exchange(other.job_, nullptr);
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

  /// For the library: a handle of the task, the task, and the task without its handle.
  explicit task_handle(ashlar::sched::deferred_job* j) noexcept : job_(j) {}
  ashlar::sched::deferred_job& job() const noexcept {
    ASHLAR_ASSERT(job_ != nullptr, "the handle is empty");
    return *job_;
  }
  /// The task with the handle's hold on it.
  ashlar::sched::deferred_job& detach() noexcept {
    ashlar::sched::deferred_job& j = job();
    job_ = nullptr;
#if ASHLAR_TSAN_EDGES
    ashlar::tsan::release(j.counter);
    ashlar::tsan::release(static_cast<ashlar::sched::job*>(&j));
#endif
    return j;
  }
  /// The task if it is ready; null if it waits for others, the last of which spawns it.
  ashlar::sched::deferred_job* take() noexcept {
    ashlar::sched::deferred_job& j = detach();
    return j.release_handle() ? &j : nullptr;
  }

 private:
  void reset() noexcept {
    if (job_ != nullptr) job_->abandon();
    job_ = nullptr;
  }

  ashlar::sched::deferred_job* job_ = nullptr;
};

/// Refers to the completion of a task, also when the task is long over. Any thread; copies are equal.
class task_completion_handle {
 public:
  task_completion_handle() noexcept = default;
  /// Of the handle's task; the handle is not empty. Throws std::bad_alloc.
  task_completion_handle(task_handle const& h) : node_(&h.job().shared_node()) { node_->retain(); }
  task_completion_handle(task_completion_handle const& other) noexcept : node_(other.node_) {
    if (node_ != nullptr) node_->retain();
  }
  task_completion_handle(task_completion_handle&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  task_completion_handle& operator=(task_completion_handle other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~task_completion_handle() {
    if (node_ != nullptr) node_->release();
  }

  explicit operator bool() const noexcept { return node_ != nullptr; }
  friend bool operator==(task_completion_handle const& a, task_completion_handle const& b) noexcept {
    return a.node_ == b.node_;
  }
  friend bool operator!=(task_completion_handle const& a, task_completion_handle const& b) noexcept {
    return a.node_ != b.node_;
  }
  friend bool operator==(task_completion_handle const& h, std::nullptr_t) noexcept { return h.node_ == nullptr; }
  friend bool operator!=(task_completion_handle const& h, std::nullptr_t) noexcept { return h.node_ != nullptr; }
#if __cplusplus < 202002L
  friend bool operator==(std::nullptr_t, task_completion_handle const& h) noexcept { return h.node_ == nullptr; }
  friend bool operator!=(std::nullptr_t, task_completion_handle const& h) noexcept { return h.node_ != nullptr; }
#endif

  /// For the library.
  ashlar::sched::completion& node() const noexcept {
    ASHLAR_ASSERT(node_ != nullptr, "the completion handle is empty");
    return *node_;
  }
  task_group_status status() const noexcept {
    switch (node().status()) {
      case ashlar::sched::completion::completed:
        return task_complete;
      case ashlar::sched::completion::canceled:
        return canceled;
      default:
        return not_complete;
    }
  }

 private:
  ashlar::sched::completion* node_ = nullptr;
};

#endif

}  // namespace tbb

namespace ashlar {
inline namespace v1 {
namespace sched {

/// What becomes a task: a function without arguments that can be copied or moved into it.
template <typename F>
inline constexpr bool is_task_function =
    std::is_constructible_v<std::decay_t<F>, F> && std::is_invocable_v<std::decay_t<F>&>;

#if ASHLAR_CLASSIC_DIALECT
template <typename F>
inline constexpr bool returns_handle = false;
#else
/// A function may return the handle of the task that runs next.
template <typename F>
inline constexpr bool returns_handle = std::is_same_v<decltype(call_const_first(std::declval<F&>())), tbb::task_handle>;

template <typename F>
struct deferred_function : deferred_job {
  template <typename G>
  deferred_function(G&& f, group_counter& c, context& g, slot& s)
      : deferred_job(&call_it, &drop_it, c, g, s), function(std::forward<G>(f)) {}

  static deferred_job* call_it(deferred_job& j) {
    F& f = static_cast<deferred_function&>(j).function;
#if ASHLAR_TSAN_EDGES
    // Of a task and those that it comes after, which the library knows.
    struct edges {
      explicit edges(group_counter* c) noexcept : counter(c) { tsan::acquire(c); }
      ~edges() { tsan::release(counter); }
      group_counter* counter;
    } const of_group(j.counter);
#endif
    if constexpr (returns_handle<F>) {
      tbb::task_handle next = call_const_first(f);
      return next != nullptr ? next.take() : nullptr;
    } else {
      call_const_first(f);
      return nullptr;
    }
  }
  static void drop_it(slot& here, deferred_job* j) noexcept {
    auto* const self = static_cast<deferred_function*>(j);
    task_pool* const home = self->home;
    self->~deferred_function();
    here.pool().release(self, sizeof(deferred_function), home);
  }

  F function;
};
#endif

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
