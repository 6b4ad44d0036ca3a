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

struct process_locks {
  static std::mutex controls;   // global_control objects; held while the market divides the workers anew
  static std::mutex observers;  // the list of observers, not their callbacks
  // Here: those of the statistics and of the watch_list.
  static std::mutex first_use;  // making the market
  // Here: those of the market, of each arena, and of the parking lot.
  static std::mutex facades;   // a group's task_group_context that is made when somebody asks
  static std::mutex bindings;  // finding a group's parent
  static std::mutex hooks;     // worker hooks
  static std::mutex orphans;   // pools of small objects without a thread
  static std::mutex policies;  // reading the environment
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
