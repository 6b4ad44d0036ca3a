// SPDX-License-Identifier: Apache-2.0
// The count of a classic task's unfinished children, as the end of a child sees it: which ends need a locked
// instruction. A waiting task's count is one more (its guard).
//
// Threads    anyone who runs a child.
// Invariants X1 and X2 of classic_prefix.h: an end that brings the count to 0 makes the caller the parent's owner.
// Ordering   [K2] see classic_prefix.h
//            [K4] the last child's decrement -> the continuation runs (acq_rel: sees all children's results)
// Model      tests/model/child_count_model.cpp
#pragma once

#include <ashlar/base/atomic.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

// A child has ended. `own_wait`: the parent waits in the caller's very frame, and nowhere else. Returns what is left.
// Where this was the last child nobody else can reach the count any more.
ASHLAR_ALWAYS_INLINE std::int64_t end_of_child(atomic<std::int64_t>& count, bool own_wait) noexcept {
  std::int64_t const last = own_wait ? 2 : 1;
  if (count.load(mo::acquire) != last) return count.fetch_sub(1, mo::acq_rel) - 1;  // [K1] [K4]
  count.store(last - 1, mo::relaxed);
  return last - 1;
}

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
