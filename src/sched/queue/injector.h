// SPDX-License-Identifier: Apache-2.0
// The enqueued jobs of an arena: first in, first out within a priority, high priority first. Before them come calls
// that threads without a slot left to those who have one (README.md, 'Full arenas'). Beside those of high and of low
// priority lie spawned ones, for which no worker comes beyond the limit.
//
// arena::enqueue reports a push as a slot does: README.md, 'Parking'.
#pragma once

#include "sched/queue/segment_memory.h"
#include "sync/orphaned_queue.h"

#include <ashlar/sched/policy/job.h>

namespace ashlar {
inline namespace v1 {

// Most arenas see few enqueued jobs: an arena's first one must not cost two fresh pages.
template <>
inline constexpr std::size_t sync::segment_lap<sched::job*> = 64;

namespace sched {

class injector {
 public:
  static constexpr int priorities = 3;  // 0 low, 1 normal, 2 high

  // Throws std::bad_alloc.
  void push(job& what, int priority) { queues_[priority].push(&what); }
  void push_call(job& what) { calls_.push(&what); }
  void push_spawned(job& what, bool urgent) { (urgent ? urgent_ : deferred_).push(&what); }
  // What comes before everything else.
  job* try_pop_call() noexcept {
    job* call;
    if (!calls_.empty() && calls_.try_pop(call)) return call;
    return try_pop_urgent(false);
  }
  job* try_pop_urgent(bool enqueued_only) noexcept {
    job* what;
    return !enqueued_only && urgent_.try_pop(what) ? what : try_pop(2);
  }
  job* try_pop_low() noexcept {
    job* const what = try_pop_deferred();
    return what != nullptr ? what : try_pop(0);
  }
  job* try_pop_deferred() noexcept {
    job* what;
    return deferred_.try_pop(what) ? what : nullptr;
  }
  job* try_pop(int priority) noexcept {
    job* what;
    return queues_[priority].try_pop(what) ? what : nullptr;
  }
  // What was enqueued.
  job* try_pop_job() noexcept {
    for (int p = priorities; p-- > 0;) {
      if (job* const what = try_pop(p)) return what;
    }
    return nullptr;
  }
  // In the child of a fork. Calls are forgotten: those who left them wait on stacks that are gone.
  void forget_threads() noexcept {
    for (auto& q : queues_) sync::orphaned_queue::forget_threads(q);
    sync::orphaned_queue::forget_threads(urgent_);
    sync::orphaned_queue::forget_threads(deferred_);
    sync::orphaned_queue::forget_threads(calls_);
    calls_.clear();
  }
  bool empty() const noexcept { return !has_jobs() && has_only_jobs(); }
  // Nothing but what was enqueued.
  bool has_only_jobs() const noexcept { return calls_.empty() && urgent_.empty() && deferred_.empty(); }
  bool has_jobs() const noexcept {
    for (auto const& q : queues_) {
      if (!q.empty()) return true;
    }
    return false;
  }

 private:
  using queue = sync::segmented_queue<job*, segment_memory>;
  queue queues_[priorities];
  queue urgent_;
  queue deferred_;
  queue calls_;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
