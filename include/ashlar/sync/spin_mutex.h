// SPDX-License-Identifier: Apache-2.0
// tbb::spin_mutex: one byte, never sleeps.
//
// Ordering   [SM1] unlock -> [SM2] lock
// Cost       uncontended: one locked instruction and one plain store.
// Model      tests/model/spin_locks_model.cpp
#pragma once

#include <ashlar/sync/backoff.h>
#include <ashlar/sync/scoped_lock.h>

namespace tbb {

class speculative_spin_mutex;

class spin_mutex {
 public:
  static constexpr bool is_rw_mutex = false;
  static constexpr bool is_recursive_mutex = false;
  static constexpr bool is_fair_mutex = false;

  using scoped_lock = ::ashlar::sync::unique_scoped_lock<spin_mutex>;

  constexpr spin_mutex() noexcept = default;
  spin_mutex(spin_mutex const&) = delete;
  spin_mutex& operator=(spin_mutex const&) = delete;

  void lock() noexcept {
    if (ASHLAR_UNLIKELY(held_.exchange(true, order::acquire))) lock_slowly();  // [SM2]
  }
  bool try_lock() noexcept {
    return !held_.load(order::relaxed) && !held_.exchange(true, order::acquire);  // [SM2]
  }
  void unlock() noexcept {
    held_.store(false, order::release);  // [SM1]
  }

 private:
  friend speculative_spin_mutex;
  using order = ::ashlar::order;

  bool is_held() const noexcept { return held_.load(order::relaxed); }
  // Looks by writing: a look by reading would fetch the line a second time to take a lock that is free.
  ASHLAR_NOINLINE void lock_slowly() noexcept {
    ::ashlar::sync::lock_backoff wait;
    do wait.pause();
    while (held_.exchange(true, order::acquire));  // [SM2]
  }

  ::ashlar::atomic<bool> held_{false};
};

}  // namespace tbb
