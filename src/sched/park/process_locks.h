// SPDX-License-Identifier: Apache-2.0
// The scheduler's locks that serve the whole process. They stand here in the order in which a thread that needs several
// takes them; fork() takes all of them in this order and holds them, so that the child finds what they guard whole.
//
// What becomes of every lock of the library when the process forks: tools/forks.toml, checked by tools/check_forks.py.
#pragma once

#include <mutex>

namespace ashlar {
inline namespace v1 {
namespace sched {

class thread_data;

struct process_locks {
  static std::mutex controls;   // global_control objects; held while the market divides the workers anew
  static std::mutex observers;  // the list of observers, not their callbacks
  // The locks of fork_parts come here.
  static std::mutex first_use;  // making the market
  // The locks of the market, of each arena, and of the parking lot come here.
  static std::mutex facades;           // a group's task_group_context that is made when somebody asks
  static std::mutex bindings;          // finding a group's parent
  static std::mutex cancel_listeners;  // who is called when a context is cancelled
  static std::mutex hooks;             // worker hooks
  static std::mutex orphans;           // pools of small objects without a thread
  static std::mutex policies;          // reading the environment
};

// What else has a lock that is held while the process forks, or something to repair in the child; null where there is
// nothing to do. Made before main, or while the library is loaded.
class fork_part {
 public:
  struct steps {
    void (*before)() noexcept;
    void (*after)() noexcept;                                // in both processes
    void (*in_child)(thread_data const* survivor) noexcept;  // before that; null: the thread does not use the scheduler
  };
  explicit fork_part(steps const& s) noexcept : steps_(s), next_(first_) { first_ = this; }
  fork_part(fork_part const&) = delete;
  fork_part& operator=(fork_part const&) = delete;

  template <typename... Args>
  static void run(void (*steps::*step)(Args...) noexcept, Args... args) noexcept {
    for (fork_part const* p = first_; p != nullptr; p = p->next_) {
      if (p->steps_.*step != nullptr) (p->steps_.*step)(args...);
    }
  }

 private:
  steps const steps_;
  fork_part* const next_;
  static fork_part* first_;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
