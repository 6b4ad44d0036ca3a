// SPDX-License-Identifier: Apache-2.0
// tbb::task::suspend and resume: a task leaves its stack and its thread goes on with other work, until somebody resumes
// it.
//
// A stack stays with the slot in which it was left, and so, as long as there is one, with the slot's thread: references
// to the slot and the thread's locals stay valid over a suspension, and locks may be held. Other threads can't continue
// it; so the threads of an arena take turns in beginning tasks that suspend themselves.
#pragma once

#include <ashlar/sched/arena/suspended_stack.h>
#include <ashlar/sched/tasks/classic_task.h>

#include <type_traits>
#include <utility>

namespace tbb {

/// Suspends the running task (or the thread's outermost code) and calls f(suspend_point), from which on resume() may be
/// called for it, by f or any other thread, exactly once. Returns after that. An exception that leaves f ends the
/// program. Throws std::bad_alloc if there is no memory for a stack; then f has not been called.
template <typename F>
void task::suspend(F f) {
#if ASHLAR_TSAN_EDGES
  struct call {
    F& function;
    ashlar::sched::stack* left;
  } c{f, nullptr};
  ashlar::sched::suspend_stack(
      [](void* self, ashlar::sched::stack& left) noexcept {
        static_cast<call*>(self)->left = &left;
        static_cast<call*>(self)->function(reinterpret_cast<suspend_point>(&left));
      },
      &c);
  ashlar::tsan::acquire(c.left);
#else
  ashlar::sched::suspend_stack(
      [](void* function, ashlar::sched::stack& left) noexcept {
        (*static_cast<F*>(function))(reinterpret_cast<suspend_point>(&left));
      },
      &reinterpret_cast<char&>(f));  // std::addressof needs <memory>, half of the cost
#endif
}

inline void task::resume(suspend_point where) {
  ashlar::tsan::release(where);
  ashlar::sched::resume_stack(*reinterpret_cast<ashlar::sched::stack*>(where));
}

}  // namespace tbb
