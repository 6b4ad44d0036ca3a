// SPDX-License-Identifier: Apache-2.0
// Where a thread's time goes, for the statistics.
#pragma once

#include "os/clock.h"
#include "sched/core/thread_data.h"

#include <ashlar/sched/core/slot.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

// While statistics are on: adds the time from its making, or from go(), until stop() or its end to a counter.
class stopwatch {
 public:
  stopwatch(slot& s, obs::counter what) noexcept : slot_(s), what_(what) { go(); }
  ~stopwatch() { stop(); }
  stopwatch(stopwatch const&) = delete;
  stopwatch& operator=(stopwatch const&) = delete;
  void go() noexcept {
    running_ = slot_.attention_bits() & attention_observe;
    if (ASHLAR_UNLIKELY(running_)) start_ = os::ticks();
  }
  void stop() noexcept {
    if (ASHLAR_UNLIKELY(running_)) slot_.thread().counters.add(what_, os::ticks() - start_);
    running_ = false;
  }

 private:
  slot& slot_;
  obs::counter const what_;
  bool running_;
  std::uint64_t start_ = 0;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
