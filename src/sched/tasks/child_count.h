// SPDX-License-Identifier: Apache-2.0
// The count of a classic task's unfinished children, as the end of a child sees it: which ends need a locked
// instruction. A waiting task's count is one more (its guard).
//
// Threads    anyone who runs a child.
// Invariants X1 and X2 of classic_prefix.h: an end that brings the count to 0 makes the caller the parent's owner.
// Ordering   [K2] [K5] see classic_prefix.h
//            [K3] waiter announces sleep: bit set, acq_rel <-> [K1] child done: references down, acq_rel: one of the
//                 two sees the other
//            [K4] the last child's decrement -> the continuation runs (acq_rel: sees all children's results)
// Model      tests/model/child_count_model.cpp
#pragma once

#include <ashlar/base/atomic.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

enum class child_end {
  parent_due,     // the last child of a continuation, which belongs to the caller now
  counted,        // the last child of the caller's own wait: counted down
  sibling_first,  // one other child is left. If the caller takes that one in hand next, it calls both_in_hand, else count_down
  others          // the caller must count_down
};

// A child has ended. `own_wait`: the parent waits in the caller's very frame, and nowhere else. `free`: the caller has
// nothing to run yet.
ASHLAR_ALWAYS_INLINE child_end end_of_child(atomic<std::int64_t>& count, bool own_wait, bool free) noexcept {
  std::int64_t const left = count.load(mo::acquire);  // [K4]
  if (left == 1 && free) {
    // Nobody else can reach it any more.
    count.store(0, mo::relaxed);
    return child_end::parent_due;
  }
  if (own_wait && left == 2) {
    count.store(1, mo::relaxed);
    return child_end::counted;
  }
  return free && left == (own_wait ? 3 : 2) ? child_end::sibling_first : child_end::others;
}

// The one child that was left when another ended, is the caller's now, and hasn't begun.
ASHLAR_ALWAYS_INLINE void both_in_hand(atomic<std::int64_t>& count) noexcept {
  count.store(count.load(mo::relaxed) - 1, mo::relaxed);  // [K5]
}

// Counts a child down for everyone to see. Returns what is left.
ASHLAR_ALWAYS_INLINE std::int64_t count_down(atomic<std::int64_t>& count) noexcept {
  return count.fetch_sub(1, mo::acq_rel) - 1;  // [K1] [K4]
}

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
