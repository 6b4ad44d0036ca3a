// SPDX-License-Identifier: Apache-2.0
// The continuations that wait for task groups. A group knows nothing of them: the completion that looks for sleeping
// threads, which it does only if a waiter has announced itself, looks here, too.
//
// Invariants W1 while a group has a watch, it is not destroyed, and its waiters' bit is set or a notify() is on its
//               way.
// Model      tests/model/task_group_model.cpp
#pragma once

#include <ashlar/sched/tasks/continuation.h>

#include <mutex>

namespace ashlar {
inline namespace v1 {
namespace sched {

class watch_list {
 public:
  static watch_list& get() noexcept;
  // False: the group is done, and nothing waits.
  bool add(group_watch& w) noexcept;
  // Resumes what waits for this counter, if that is done. The address is only a key.
  void notify(void const* counter) noexcept;
  // For whoever saw the group's announcement.
  bool empty() const noexcept { return count_.load(mo::relaxed) == 0; }
  // Nobody is at work in the list while the process is forked: the child finds it whole and unlocked.
  void before_fork() noexcept { lock_.lock(); }
  void after_fork() noexcept { lock_.unlock(); }

 private:
  std::mutex lock_;
  group_watch* first_ = nullptr;
  atomic<unsigned> count_{0};
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
