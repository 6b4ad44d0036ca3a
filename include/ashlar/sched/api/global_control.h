// SPDX-License-Identifier: Apache-2.0
// tbb::global_control: settings of the whole process that hold as long as an object lives.
#pragma once

#include <ashlar/base/assert.h>
#include <ashlar/base/config.h>
#include <ashlar/base/throw.h>
#include <ashlar/sched/arena/arena_settings.h>

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace sched {

/// What the library keeps of a tbb::global_control. The object itself may lie on the stack of a thread that the child
/// of a fork doesn't have, and whose memory others use there.
struct control;
/// Throws std::bad_alloc.
ASHLAR_EXPORT control* add_control(int parameter, std::size_t value);
ASHLAR_EXPORT void remove_control(control* c) noexcept;
ASHLAR_EXPORT std::size_t active_control(int parameter) noexcept;

/// Handles of the scheduler; each is released or finalized.
ASHLAR_EXPORT void add_scheduler_handle() noexcept;
ASHLAR_EXPORT void release_scheduler_handle() noexcept;
/// Releases one and, if it was the last, waits until all workers have ended. False if somebody may use them still.
ASHLAR_EXPORT bool finalize_scheduler() noexcept;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar

namespace tbb {
ASHLAR_HOME(9)

/// While the object lives, the parameter has at most (max_allowed_parallelism) or at least (thread_stack_size) the
/// given value, or is on (terminate_on_exception); several objects add up to the strictest. Any thread may make and
/// destroy objects. Takes effect for workers as they finish what they are doing; stack sizes for workers that are
/// created later. A limit holds at once for what its maker spawns from then on, if that is an application thread
/// outside of all tasks whose own arena has no observers, no enqueued work and no task_arena that has joined it.
///
/// A limit does not change how many slots an arena has: a thread's own arena and an automatic task_arena have
/// info::default_concurrency(). More threads than that need a limit that allows them and a task_arena of so many slots,
/// or ASHLAR_NUM_THREADS.
class global_control {
 public:
  enum parameter {
    max_allowed_parallelism,  // threads that work at a time, application thread included; 1: no workers
    thread_stack_size,        // bytes, of worker threads
    terminate_on_exception,   // 1: an exception that leaves a task ends the process
    scheduler_handle,         // internal
    leave_policy,             // 1: workers leave an arena without work at once
    parameter_max
  };

  // Throws std::invalid_argument for a parameter that doesn't exist, or a parallelism of 0. An assertion handler that
  // the program has installed is called before that.
  global_control(parameter p, std::size_t value) {
    if (p < 0 || p >= parameter_max || (p == max_allowed_parallelism && value == 0)) {
      ashlar::tell_of_bad_argument("global_control", "value > 0", "the parameter does not exist, or its value is 0");
      ashlar::throw_exception(ashlar::exception_id::invalid_argument);
    }
    control_ = ashlar::sched::add_control(p, value);
  }
  template <typename Value, typename = std::enable_if_t<std::is_enum_v<Value>>>
  global_control(parameter p, Value value) : global_control(p, static_cast<std::size_t>(value)) {}
  ~global_control() { ashlar::sched::remove_control(control_); }
  global_control(global_control const&) = delete;
  global_control& operator=(global_control const&) = delete;

  // The value in force; without objects the default.
  static std::size_t active_value(parameter p) {
    if (p < 0 || p >= parameter_max) ashlar::throw_exception(ashlar::exception_id::invalid_argument);
    return ashlar::sched::active_control(p);
  }

 private:
  ashlar::sched::control* control_;
};

ASHLAR_HOME_END
ASHLAR_KNOWN_IN(9, global_control)

/// Keeps the workers for a call of finalize(). Move-only; not thread-safe.
class task_scheduler_handle {
 public:
  task_scheduler_handle() noexcept = default;
  // Implicit, as in oneTBB: programs write `handle = tbb::attach()`.
  task_scheduler_handle(attach) noexcept : held_(true) { ashlar::sched::add_scheduler_handle(); }
  task_scheduler_handle(task_scheduler_handle&& other) noexcept : held_(std::exchange(other.held_, false)) {}
  task_scheduler_handle& operator=(task_scheduler_handle&& other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  ~task_scheduler_handle() { release(); }

  explicit operator bool() const noexcept { return held_; }
  // Gives the handle back without waiting for anything.
  void release() noexcept {
    if (std::exchange(held_, false)) ashlar::sched::release_scheduler_handle();
  }

 private:
  friend bool finalize(task_scheduler_handle& handle, std::nothrow_t const&) noexcept {
    return !std::exchange(handle.held_, false) || ashlar::sched::finalize_scheduler();
  }

  bool held_ = false;
};

/// Waits until every worker thread has ended, and the system has none of them any more; enqueued work that nobody waits
/// for is done first. False, without waiting, while somebody may use the workers still, as TBB's does: in a task, while
/// there are other handles or task arenas that have been initialized, or while another thread lives that has used the
/// scheduler. True where nobody has used it. The handle is empty afterwards in any case; with an empty one the call
/// does nothing and succeeds. The next use of the scheduler makes new workers.
bool finalize(task_scheduler_handle& handle, std::nothrow_t const&) noexcept;
/// The same; throws unsafe_wait instead of returning false.
inline void finalize(task_scheduler_handle& handle) {
  if (!finalize(handle, std::nothrow)) ashlar::throw_exception(ashlar::exception_id::unsafe_wait);
}

}  // namespace tbb
