// SPDX-License-Identifier: Apache-2.0
// tbb::spin_rw_mutex: many readers or one writer, 8 bytes, never sleeps.
//
// A writer first claims the writer's word, which keeps new readers out, then waits until the readers that are in have
// left. A reader counts itself in, then looks whether a writer has claimed; if so it steps back.
//
// Invariants SR-I1 readers_ counts those that read and those that are about to step back: never too low.
//            SR-I2 only the claimant resets writer_.
// Ordering   [SR1] writer claims, then reads readers_ <-> [SR2] reader counts itself, then reads writer_: of the two
//                  one sees the other
//            [SR3] writer leaves  -> [SR4] writer or reader enters
//            [SR5] reader leaves  -> [SR6] writer sees no reader
// Cost       uncontended: write 1 locked instruction and a store; read 2 locked instructions.
// Model      tests/model/rw_mutex_model.cpp
#pragma once

#include <ashlar/sync/backoff.h>
#include <ashlar/sync/scoped_lock.h>

#include <cstdint>

namespace tbb {

class speculative_spin_rw_mutex;

class spin_rw_mutex {
 public:
  static constexpr bool is_rw_mutex = true;
  static constexpr bool is_recursive_mutex = false;
  static constexpr bool is_fair_mutex = false;

  using scoped_lock = ::ashlar::sync::rw_scoped_lock<spin_rw_mutex>;

  constexpr spin_rw_mutex() noexcept = default;
  spin_rw_mutex(spin_rw_mutex const&) = delete;
  spin_rw_mutex& operator=(spin_rw_mutex const&) = delete;
  ~spin_rw_mutex() {
    ASHLAR_ASSERT(!writer_.load(order::relaxed) && !readers_.load(order::relaxed), "a mutex in use is destroyed");
  }

  void lock() noexcept {
    if (ASHLAR_UNLIKELY(writer_.exchange(1, order::seq_cst) != 0)) claim();  // [SR1] [SR4]
    if (ASHLAR_UNLIKELY(readers_.load(order::seq_cst) != 0)) drain(0);       // [SR1] [SR6]
  }
  bool try_lock() noexcept {
    if (writer_.load(order::relaxed) || readers_.load(order::relaxed)) return false;
    if (writer_.exchange(1, order::seq_cst) != 0) return false;  // [SR1] [SR4]
    if (readers_.load(order::seq_cst) == 0) return true;         // [SR1] [SR6]
    writer_.store(0, order::release);                            // [SR3]
    return false;
  }
  void unlock() noexcept { writer_.store(0, order::release); }  // [SR3]

  void lock_shared() noexcept {
    if (ASHLAR_UNLIKELY(!try_lock_shared())) lock_shared_slowly();
  }
  bool try_lock_shared() noexcept {
    if (writer_.load(order::relaxed)) return false;
    readers_.fetch_add(1, order::seq_cst);                              // [SR2]
    if (ASHLAR_LIKELY(writer_.load(order::seq_cst) == 0)) return true;  // [SR2] [SR4]
    readers_.fetch_sub(1, order::relaxed);  // it has read nothing that the writer would have to wait for
    return false;
  }
  void unlock_shared() noexcept {
    ASHLAR_ASSERT(readers_.load(order::relaxed), "unlock_shared() without lock_shared()");
    readers_.fetch_sub(1, order::release);  // [SR5]
  }

 private:
  friend scoped_lock;
  friend speculative_spin_rw_mutex;
  using order = ::ashlar::order;

  bool is_held_by_writer() const noexcept { return writer_.load(order::relaxed) != 0; }
  bool is_held() const noexcept { return is_held_by_writer() || readers_.load(order::relaxed) != 0; }

  bool upgrade() noexcept {
    std::uint32_t nobody = 0;
    if (writer_.compare_exchange(nobody, 1, order::seq_cst, order::relaxed)) {  // [SR1] [SR4]
      if (readers_.load(order::seq_cst) != 1) drain(1);                         // [SR1] [SR6]
      readers_.fetch_sub(1, order::relaxed);
      return true;
    }
    unlock_shared();
    lock();
    return false;
  }
  void downgrade() noexcept {
    readers_.fetch_add(1, order::relaxed);
    writer_.store(0, order::release);  // [SR3]
  }

  // Another writer holds or has claimed.
  ASHLAR_NOINLINE void claim() noexcept {
    ::ashlar::sync::backoff wait;
    do {
      do wait.pause();
      while (writer_.load(order::relaxed));
    } while (writer_.exchange(1, order::seq_cst) != 0);  // [SR1] [SR4]
  }
  ASHLAR_NOINLINE void drain(std::uint32_t mine) noexcept {
    ::ashlar::sync::backoff wait;
    do wait.pause();
    while (readers_.load(order::acquire) != mine);  // [SR6]
  }
  ASHLAR_NOINLINE void lock_shared_slowly() noexcept {
    ::ashlar::sync::backoff wait;
    do wait.pause();
    while (!try_lock_shared());
  }

  ::ashlar::atomic<std::uint32_t> writer_{0};
  ::ashlar::atomic<std::uint32_t> readers_{0};
};

}  // namespace tbb
