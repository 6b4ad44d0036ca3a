// SPDX-License-Identifier: Apache-2.0
// Something that ends once, and for which a thread may sleep: pending, then perhaps asleep, then done. It holds a small
// value that the end leaves (not 0), and is one word, lest the end touch anything after the word: whoever waits may go
// on, and the latch be gone, as soon as it is done.
//
// Threads    set: the thread that brings the end, once. done, announce: anyone.
// Ordering   [LT1] set: exchange, acq_rel <-> [LT2] announce: exchange, acq_rel: one of the two sees the other
//            [LT1] set: exchange, acq_rel  -> [LT2] done: acquire (what came before the end)
// Model      tests/model/scheduler_model.cpp, tests/model/completion_model.cpp
#pragma once

#include <ashlar/sched/park/wait_target.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

class latch {
 public:
  // 0 before the end.
  std::uint32_t value() const noexcept { return state_.load(mo::acquire) & ~asleep; }  // [LT2]
  bool done() const noexcept { return value() != 0; }
  // A waiter is about to sleep: the end will wake those who wait for the latch's address. False if the latch is set
  // already. A waiter that was woken for something else announces itself again.
  bool announce() noexcept {
    std::uint32_t expected = 0;
    return state_.compare_exchange(expected, asleep, mo::acq_rel, mo::acquire) || expected == asleep;  // [LT2]
  }
  static void set(latch& l, std::uint32_t end = 1) noexcept {
    latch const* const address = &l;
    if (l.state_.exchange(end, mo::acq_rel) == asleep) wake_waiters(address);  // [LT1]
  }

 private:
  static constexpr std::uint32_t asleep = 1u << 31;
  atomic<std::uint32_t> state_{0};
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
