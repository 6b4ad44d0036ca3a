// SPDX-License-Identifier: Apache-2.0
// tbb::spin_rw_mutex: many readers or one writer, 8 bytes, never sleeps.
//
// The lower half of the word says that a writer has claimed and whether it is in, the upper half counts the readers. A
// writer claims, which keeps new readers out, then waits until the readers that are in have left. A reader counts
// itself in and learns by the same instruction whether a writer has claimed; if so it steps back.
//
// Invariants SR-I1 the upper half counts those that read and those that are about to step back: never too low.
//            SR-I2 only the claimant changes the lower half.
// Ordering   [SR1] writer leaves -> [SR2] writer or reader enters
//            [SR3] reader leaves -> [SR4] writer sees no other reader
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
  ~spin_rw_mutex() { ASHLAR_ASSERT(!is_held(), "a mutex in use is destroyed"); }

  void lock() noexcept {
    if (ASHLAR_UNLIKELY(!claim_free())) lock_slowly();
  }
  bool try_lock() noexcept { return !is_held() && claim_free(); }
  /// Also after lock_read(), as in classic TBB.
  void unlock() noexcept { state_.load(order::relaxed) & inside ? leave() : unlock_shared(); }

  void lock_shared() noexcept {
    if (ASHLAR_UNLIKELY(!enter_shared())) lock_shared_slowly();
  }
  bool try_lock_shared() noexcept { return !is_held_by_writer() && enter_shared(); }
  void unlock_shared() noexcept {
    ASHLAR_ASSERT(readers() != 0, "unlock_shared() without lock_shared()");
    state_.fetch_sub(one_reader, order::release);  // [SR3]
  }
  void lock_read() noexcept { lock_shared(); }
  bool try_lock_read() noexcept { return try_lock_shared(); }

 private:
  friend scoped_lock;
  friend speculative_spin_rw_mutex;
  using order = ::ashlar::order;
  using word = std::uint64_t;
  static constexpr word writer = 1;  // has claimed
  static constexpr word inside = 2;  // and is in
  static constexpr word one_reader = word{1} << 32;

  word readers() const noexcept { return state_.load(order::relaxed) / one_reader; }
  bool is_held_by_writer() const noexcept { return (state_.load(order::relaxed) & writer) != 0; }
  bool is_held() const noexcept { return state_.load(order::relaxed) != 0; }

  bool claim_free() noexcept {
    word nobody = 0;
    return state_.compare_exchange(nobody, writer | inside, order::acquire, order::relaxed);  // [SR2] [SR4]
  }
  // Writes before it looks: a look first would fetch the cache line twice while other readers come and go.
  bool enter_shared() noexcept {
    if (ASHLAR_LIKELY(!(state_.fetch_add(one_reader, order::acquire) & writer))) return true;  // [SR2]
    state_.fetch_sub(one_reader, order::relaxed);  // it has read nothing that the writer would have to wait for
    return false;
  }
  bool upgrade() noexcept {
    if (!(state_.fetch_or(writer, order::acquire) & writer)) {  // [SR2]
      drain(1);
      state_.fetch_add(inside - one_reader, order::relaxed);
      return true;
    }
    unlock_shared();
    lock();
    return false;
  }
  void downgrade() noexcept { state_.fetch_add(one_reader - inside - writer, order::release); }  // [SR1]
  void leave() noexcept { state_.clear_lower_half(order::release); }                             // [SR1]

  ASHLAR_NOINLINE void lock_slowly() noexcept {
    for (::ashlar::sync::backoff wait; state_.fetch_or(writer, order::acquire) & writer;) {  // [SR2]
      do wait.pause();
      while (is_held_by_writer());
    }
    drain(0);
    state_.fetch_add(inside, order::relaxed);
  }
  // Waits until only `mine` readers are in.
  void drain(word mine) noexcept {
    for (::ashlar::sync::backoff wait; state_.load(order::acquire) / one_reader != mine;) wait.pause();  // [SR4]
  }
  ASHLAR_NOINLINE void lock_shared_slowly() noexcept {
    ::ashlar::sync::backoff wait;
    do wait.pause();
    while (!try_lock_shared());
  }

  ::ashlar::atomic<word> state_{0};
};

}  // namespace tbb
