// SPDX-License-Identifier: Apache-2.0
// The enqueued jobs of an arena: first in, first out within a priority, high priority first.
#pragma once

#include <ashlar/base/atomic.h>
#include <ashlar/sched/job.h>

#include <deque>
#include <mutex>

namespace ashlar {
inline namespace v1 {
namespace sched {

class injector {
 public:
  static constexpr int priorities = 3;  // 0 low, 1 normal, 2 high

  // Throws std::bad_alloc.
  void push(job& what, int priority) {
    std::lock_guard guard(lock_);
    queues_[priority].push_back(&what);
    size_.fetch_add(1, mo::seq_cst);  // [J1]
  }
  job* try_pop() noexcept {
    if (size_.load(mo::relaxed) == 0) return nullptr;
    std::lock_guard guard(lock_);
    for (int p = priorities; p-- > 0;) {
      if (queues_[p].empty()) continue;
      job* const j = queues_[p].front();
      queues_[p].pop_front();
      size_.fetch_sub(1, mo::relaxed);
      return j;
    }
    return nullptr;
  }
  bool empty() const noexcept { return size_.load(mo::seq_cst) == 0; }  // [J2]

 private:
  std::mutex lock_;
  std::deque<job*> queues_[priorities];
  atomic<std::size_t> size_{0};
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
