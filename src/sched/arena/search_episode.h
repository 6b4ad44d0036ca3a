// SPDX-License-Identifier: Apache-2.0
// A thread's search for work of any kind in its arena, from the first look that found nothing to what ends it.
//
// Threads    the searching one.
// Ordering   [H2] see arena.h
#pragma once

#include "sched/arena/arena.h"
#include "sched/core/worker_source.h"

#include <ashlar/sched/core/slot.h>

#include <utility>

namespace ashlar {
inline namespace v1 {
namespace sched {

// While an episode lasts the thread is counted, and pushers rely on it.
class search_episode {
 public:
  search_episode(slot& s, searcher what) noexcept : arena_(s.home()), what_(what) {}
  ~search_episode() {
    if (counted_) arena_.end_search(what_);
  }
  search_episode(search_episode const&) = delete;
  search_episode& operator=(search_episode const&) = delete;

  void begin() noexcept {
    if (!std::exchange(counted_, true)) arena_.begin_search(what_);
  }
  // The thread turns to something else. True if jobs may have been left to it, and nobody else answers for them.
  bool end() noexcept {
    if (!std::exchange(counted_, false)) return false;
    return wake_rule::jobs_were_left_to(what_, arena_.end_search(what_));
  }
  // A waiter is about to sleep, listed in the parking lot. True if it has to arm the arena.
  bool end_to_sleep() noexcept {
    if (std::exchange(counted_, false)) return wake_rule::arms(arena_.end_search(what_));
    return true;
  }
  // The thread leaves the arena first, and stops searching afterwards (worker.cpp). False if it is not counted.
  bool take_along() noexcept { return std::exchange(counted_, false); }
  // The thread turns to something else. If a job was left to it, because it searched or because it was called, another
  // thread is called for it.
  void hand_over(bool called) noexcept {
    if (!end() && !called) return;
    fence_seq_cst();  // [H2]
    if (arena_.has_visible_work()) worker_source::get().pass_on(arena_);
  }

 private:
  arena& arena_;
  searcher const what_;
  bool counted_ = false;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
