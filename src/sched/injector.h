// SPDX-License-Identifier: Apache-2.0
// The enqueued jobs of an arena: first in, first out within a priority, high priority first.
//
// A push is followed by market::advertise, which takes the parking lot's lock; a sleeper registers under the same lock
// before it looks here for the last time. So one of the two sees the other, and no fence is needed.
#pragma once

#include <ashlar/sched/job.h>
#include <ashlar/sync/segmented_queue.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

class injector {
 public:
  static constexpr int priorities = 3;  // 0 low, 1 normal, 2 high

  // Throws std::bad_alloc.
  void push(job& what, int priority) { queues_[priority].push(&what); }
  job* try_pop() noexcept {
    for (int p = priorities; p-- > 0;) {
      job* what;
      if (queues_[p].try_pop(what)) return what;
    }
    return nullptr;
  }
  bool empty() const noexcept {
    for (auto const& q : queues_) {
      if (!q.empty()) return false;
    }
    return true;
  }

 private:
  sync::segmented_queue<job*> queues_[priorities];
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
