// SPDX-License-Identifier: Apache-2.0
// The adaptive lock behind tbb::mutex: one byte; a waiting thread spins, then yields, then sleeps.
//
// Sleepers leave no note in the byte, so that freeing it is a plain store: see wait_on.h about armed buckets. A thread
// that comes along may overtake those that sleep; a sleeper that is woken competes again.
//
// Ordering   [MX1] unlock -> [MX2] lock
// Cost       uncontended: lock 1 locked instruction, unlock 1 store and 1 load.
// Model      tests/model/mutex_model.cpp
#pragma once

#include <ashlar/sync/scoped_lock.h>
#include <ashlar/sync/wait_on.h>

namespace ashlar {
inline namespace v1 {
namespace sync {

class adaptive_mutex {
 public:
  static constexpr bool is_rw_mutex = false;
  static constexpr bool is_recursive_mutex = false;
  static constexpr bool is_fair_mutex = false;

  using scoped_lock = unique_scoped_lock<adaptive_mutex>;

  constexpr adaptive_mutex() noexcept = default;
  adaptive_mutex(adaptive_mutex const&) = delete;
  adaptive_mutex& operator=(adaptive_mutex const&) = delete;

  void lock() noexcept {
    if (ASHLAR_UNLIKELY(held_.exchange(true, mo::acquire))) wait_for(held_);  // [MX2]
  }
  bool try_lock() noexcept { return !held_.load(mo::relaxed) && !held_.exchange(true, mo::acquire); }  // [MX2]
  void unlock() noexcept {
    held_.store(false, mo::release);  // [MX1]
    wake_one_if_armed(&held_);
  }

 private:
  // Returns when it has set the byte.
  ASHLAR_EXPORT ASHLAR_COLD static void wait_for(atomic<bool>& held) noexcept;

  atomic<bool> held_{false};
};

}  // namespace sync
}  // namespace v1
}  // namespace ashlar
