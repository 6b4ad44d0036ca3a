// SPDX-License-Identifier: Apache-2.0
// A count of things that are under way, and waiting until there are none. One word; the thread that brings it to zero
// looks for sleepers only if one has announced itself.
//
// Threads    reserve while the count can't reach zero; release, wait and busy by anyone. A count that reached zero may
//            be used again once every wait() has returned.
// Ordering   [WC1] release: down, acq_rel -> [WC2] busy: acquire (what was done before the releases)
//            [WC3] waiter announces its sleep: bit set, acq_rel <-> [WC1]: one of the two sees the other
// Cost       reserve, release: 1 locked instruction each.
// Model      tests/model/wait_count_model.cpp
#pragma once

#include <ashlar/sched/core/slot.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

class wait_count {
 public:
  explicit wait_count(std::uint64_t initial) noexcept : count_(initial) {}
  wait_count(wait_count const&) = delete;
  wait_count& operator=(wait_count const&) = delete;

  void reserve(std::uint64_t n = 1) noexcept { count_.fetch_add(n, mo::relaxed); }
  /// The object may be gone when this returns.
  void release(std::uint64_t n = 1) noexcept {
    if (ASHLAR_UNLIKELY(count_.fetch_sub(n, mo::acq_rel) - n == waiter_sleeps)) wake_waiters(this);  // [WC1]
  }
  bool busy() const noexcept { return value() != 0; }
  std::uint64_t value() const noexcept { return count_.load(mo::acquire) & ~waiter_sleeps; }  // [WC2]
  /// Runs tasks until the count is zero.
  void wait(slot& s) noexcept {
    wait_for_zero(s);
    tsan::acquire(this);
  }

 private:
  ASHLAR_EXPORT void wait_for_zero(slot& s) noexcept;
  static constexpr std::uint64_t waiter_sleeps = std::uint64_t{1} << 63;

  bool announce() noexcept;

  atomic<std::uint64_t> count_;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
