// SPDX-License-Identifier: Apache-2.0
// What a wait in a function of task_arena::execute does with enqueued jobs. README.md, 'Which waits run what'.
#pragma once

#include <ashlar/os/tuning.h>
#include <ashlar/sched/core/slot.h>

#include "os/clock.h"
#include "os/thread.h"
#include "sched/arena/arena.h"
#include "sched/core/worker_source.h"
#include "sched/policy/search_limits.h"

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

// Leaves what was enqueued to workers while the thread waits in a function of task_arena::execute. Such a job may wait
// for this thread, which the program has told to call the function and nothing else. If no worker comes for long, all
// may wait for the job: then the thread takes it. It takes the job at once where no worker can come, because
// application threads have all slots.
class left_to_workers {
 public:
  explicit left_to_workers(bool in_function) noexcept : in_function_(in_function) {}

  void limit(search_limits& limits) const noexcept {
    bool const for_long = none_can_come_ || (since_ != 0 && left_for_long());
    limits.enqueued_too = limits.enqueued_too || for_long;
    limits.leaves_enqueued = in_function_ && !for_long && !worker_source::without_workers();
  }
  // After a search. True if there are only jobs that were left: the thread is to look again, and not to sleep.
  bool after_search(slot& s, search_limits const& limits, bool found) noexcept {
    arena& a = s.home();
    none_can_come_ = false;
    if (found || !limits.leaves_enqueued || !a.enqueued.has_jobs()) {
      since_ = 0;
      return false;
    }
    none_can_come_ = a.active.load(mo::relaxed) == 0 && !a.has_free_slot_for_worker();
    if (none_can_come_) return true;
    if (since_ == 0) {
      since_ = os::ticks();
      cpu_since_ = os::thread_cpu_ns();
      worker_source::get().call_worker(a);
    }
    os::yield();
    return true;
  }

 private:
  // Where other programs keep the processors busy, a worker that was called gets one as soon as this thread has had its
  // own share: the time on a processor counts, too. A thread that yields uses little of its share, so it does not wait
  // for that longer than for all turns of many others.
  bool left_for_long() const noexcept {
    std::uint64_t const limit = os::tuned.ticks_of_us(200 * os::wake_up_us);
    std::uint64_t const left = os::ticks() - since_;
    if (left < limit || left >= turns * limit) return left >= limit;
    return static_cast<double>(os::thread_cpu_ns() - cpu_since_) * os::tuned.rate >= static_cast<double>(limit);
  }

  static constexpr std::uint64_t turns = 50;

  bool const in_function_;
  bool none_can_come_ = false;
  std::uint64_t since_ = 0;      // ticks; 0: nothing has been left
  std::uint64_t cpu_since_ = 0;  // nanoseconds
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
