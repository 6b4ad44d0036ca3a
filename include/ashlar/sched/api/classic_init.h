// SPDX-License-Identifier: Apache-2.0
// tbb::task_scheduler_init, the scope in which a thread uses the scheduler with a given number of threads. Users
// include <tbb/task_scheduler_init.h>.
#pragma once

#include <ashlar/base/interface.h>
#include <ashlar/base/throw.h>

#include <cstddef>
#include <new>

namespace ashlar {
inline namespace v1 {
namespace sched {

/// Opens a scope for the calling thread: the outermost one of a thread without an arena gives it one of `threads` slots
/// (0: the default number). A stack size other than 0 is for workers that are created from now on. Throws
/// std::bad_alloc.
ASHLAR_EXPORT void open_scheduler(unsigned threads, std::size_t stack_size);
/// Closes the scope; the outermost one takes the arena away. With `wait`, workers end before it returns; false if that
/// is impossible: inside of a task, in an inner scope, or while other threads' work is under way.
ASHLAR_EXPORT bool close_scheduler(bool wait) noexcept;
ASHLAR_EXPORT unsigned default_threads() noexcept;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar

namespace tbb {

using stack_size_type = std::size_t;

/// While an object is active, its thread has a scheduler. Only the outermost object of a thread, if nothing has used
/// the scheduler there before, decides on the number of threads; inner ones are counted and otherwise ignored. Objects
/// are optional: without one the first use makes a default scheduler, which lasts until the thread ends.
///
/// Thread safety: an object belongs to the thread that initialised it.
class task_scheduler_init {
 public:
  static constexpr int automatic = -1;  // as many threads as default_num_threads()
  static constexpr int deferred = -2;   // don't initialise yet
  /// Accepted for programs that were written for a TBB with a choice of victim policy (IISWC'08); ASHLAR_VICTIM_POLICY
  /// chooses it here.
  static constexpr int occ_stealer = 1;

  /// `thread_stack_size` is that of workers, 0 for the default. Its two lowest bits are the propagation mode of
  /// exceptions (exact: 1, captured: 2) in binaries of TBB; exceptions are always exact here.
  task_scheduler_init(int number_of_threads = automatic,  // NOLINT: implicit, as in TBB
                      stack_size_type thread_stack_size = 0) {
    initialize(number_of_threads, thread_stack_size);
  }
  task_scheduler_init(task_scheduler_init const&) = delete;
  task_scheduler_init& operator=(task_scheduler_init const&) = delete;
  ~task_scheduler_init() {
    if (active_) terminate();
  }

  /// Threads in total, the calling one included; `automatic`, or `deferred` (nothing happens). Throws std::bad_alloc.
  void initialize(int number_of_threads = automatic, stack_size_type thread_stack_size = 0) {
    if (number_of_threads == deferred || active_) return;
    if (number_of_threads != automatic && number_of_threads < 1) {
      ashlar::throw_exception(ashlar::exception_id::invalid_argument);
    }
    ashlar::sched::open_scheduler(number_of_threads == automatic ? 0u : static_cast<unsigned>(number_of_threads),
                                  thread_stack_size & ~propagation_mode_mask);
    active_ = true;
  }
  /// Does nothing if the object isn't active.
  void terminate() noexcept {
    if (active_) ashlar::sched::close_scheduler(false);
    active_ = false;
  }
  /// terminate(), and every worker thread has ended when it returns. If that is impossible (in a task, in an inner
  /// scope, while other threads use the scheduler) it throws std::system_error (EDEADLK); the object is terminated all
  /// the same.
  void blocking_terminate() {
    if (!blocking_terminate(std::nothrow)) ashlar::throw_exception(ashlar::exception_id::blocking_thread_join);
  }
  /// The same; returns false instead.
  bool blocking_terminate(std::nothrow_t const&) noexcept {
    bool const ended = !active_ || ashlar::sched::close_scheduler(true);
    active_ = false;
    return ended;
  }
  /// The number of threads that a default scheduler has: the processors that this process may use, or
  /// ASHLAR_NUM_THREADS.
  static int default_num_threads() noexcept { return static_cast<int>(ashlar::sched::default_threads()); }
  bool is_active() const noexcept { return active_; }

 private:
  static constexpr stack_size_type propagation_mode_mask = 3;

  bool active_ = false;
};

}  // namespace tbb
