// SPDX-License-Identifier: Apache-2.0
// tbb::rw_mutex: many readers or one writer, 8 bytes; a waiting thread spins, then yields, then sleeps. Writers go
// first: one that waits keeps new readers out.
//
// The word holds the readers' count and notes about who waits. Whoever leaves learns the notes by the instruction
// with which it leaves, and after that uses only the address: the mutex may be gone.
//
// Invariants RW-I1 the count includes readers that came when a writer was in and are about to step back.
//            RW-I2 pending and writers_asleep are set by a thread inside lock(), which will enter and leave; its
//                  leaving as a writer, or becoming a reader, clears writers_asleep, entering clears pending. So
//                  neither keeps readers out for ever.
//            RW-I3 a writer that has slept enters with writers_asleep set, because others may still sleep.
// Ordering   [RW1] writer leaves -> [RW2] writer or reader enters
//            [RW3] reader leaves -> [RW4] writer enters, upgrader sees that it is alone
// Cost       uncontended: 2 locked instructions, for reading as well as writing.
// Model      tests/model/rw_mutex_model.cpp
#pragma once

#include <ashlar/base/atomic.h>
#include <ashlar/base/tsan.h>
#include <ashlar/sync/scoped_lock.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sync {

/// The word of an rw_mutex and the slow parts of its operations.
struct rw_word {
  using word = std::uint64_t;
  enum bits : word {
    writer = 1,
    pending = 2,         // a writer spins for readers to leave; others stay out
    writers_asleep = 4,  // readers stay out
    readers_asleep = 8,
    upgrader_asleep = 16,  // only with `writer`, which waits for the other readers to leave
    one_reader = 32
  };
  static constexpr word busy = ~(word{one_reader} - 1) | writer;
  static constexpr word no_entry = word{writer} | pending | writers_asleep;

  ASHLAR_EXPORT ASHLAR_COLD static void lock(atomic<word>& state) noexcept;
  ASHLAR_EXPORT ASHLAR_COLD static void lock_shared(atomic<word>& state) noexcept;
  /// The caller holds the lock for reading. False if it had to give it up on the way to the writer's.
  ASHLAR_EXPORT static bool upgrade(atomic<word>& state) noexcept;
  ASHLAR_EXPORT static void downgrade(atomic<word>& state) noexcept;
  /// For who has left; `before` is the word that it found. The state is an address and is not read.
  ASHLAR_EXPORT ASHLAR_COLD static void wake_after_writer(atomic<word>& state, word before) noexcept;
  ASHLAR_EXPORT ASHLAR_COLD static void wake_after_reader(atomic<word>& state, word before) noexcept;

  ASHLAR_ALWAYS_INLINE static bool try_lock(atomic<word>& state) noexcept {
    word s = state.load(mo::relaxed);
    while (!(s & busy)) {
      if (state.compare_exchange(s, (s & ~word{pending}) | writer, mo::acquire, mo::relaxed)) {  // [RW2] [RW4]
        return true;
      }
    }
    return false;
  }
  ASHLAR_ALWAYS_INLINE static void unlock(atomic<word>& state) noexcept {
    word const before = state.fetch_and(~(word{writer} | writers_asleep | readers_asleep), mo::release);  // [RW1]
    if (ASHLAR_UNLIKELY(before & (writers_asleep | readers_asleep))) wake_after_writer(state, before);
  }
  ASHLAR_ALWAYS_INLINE static bool try_lock_shared(atomic<word>& state) noexcept {
    return !(state.load(mo::relaxed) & no_entry) && enter_shared(state);
  }
  /// Writes before it looks: a look first would fetch the cache line twice while other readers come and go.
  ASHLAR_ALWAYS_INLINE static bool enter_shared(atomic<word>& state) noexcept {
    if (ASHLAR_LIKELY(!(state.fetch_add(one_reader, mo::acquire) & no_entry))) return true;  // [RW2]
    unlock_shared(state);
    return false;
  }
  ASHLAR_ALWAYS_INLINE static void unlock_shared(atomic<word>& state) noexcept {
    word const before = state.fetch_sub(one_reader, mo::release);  // [RW3]
    if (ASHLAR_UNLIKELY(before & (writers_asleep | upgrader_asleep))) wake_after_reader(state, before);
  }
};

}  // namespace sync
}  // namespace v1
}  // namespace ashlar

namespace tbb {

class rw_mutex {
 public:
  static constexpr bool is_rw_mutex = true;
  static constexpr bool is_recursive_mutex = false;
  static constexpr bool is_fair_mutex = false;

  using scoped_lock = ::ashlar::sync::rw_scoped_lock<rw_mutex>;

  constexpr rw_mutex() noexcept = default;
  rw_mutex(rw_mutex const&) = delete;
  rw_mutex& operator=(rw_mutex const&) = delete;
  ~rw_mutex() { ASHLAR_ASSERT(!(state_.load(order::relaxed) & core::busy), "a mutex in use is destroyed"); }

  void lock() noexcept {
    core::word s = 0;
    if (ASHLAR_UNLIKELY(!state_.compare_exchange(s, core::writer, order::acquire, order::relaxed))) {  // [RW2] [RW4]
      core::lock(state_);
      ::ashlar::tsan::acquire(&state_);
    }
  }
  bool try_lock() noexcept { return core::try_lock(state_); }
  void unlock() noexcept { leave(); }

  void lock_shared() noexcept {
    if (ASHLAR_UNLIKELY(!core::enter_shared(state_))) {
      core::lock_shared(state_);
      ::ashlar::tsan::acquire(&state_);
    }
  }
  bool try_lock_shared() noexcept { return core::try_lock_shared(state_); }
  void unlock_shared() noexcept {
    ::ashlar::tsan::release(&state_);
    core::unlock_shared(state_);
  }

 private:
  friend scoped_lock;
  using core = ::ashlar::sync::rw_word;
  using order = ::ashlar::order;

  bool upgrade() noexcept {
    ::ashlar::tsan::release(&state_);
    bool const held = core::upgrade(state_);
    ::ashlar::tsan::acquire(&state_);
    return held;
  }
  void downgrade() noexcept {
    ::ashlar::tsan::release(&state_);
    core::downgrade(state_);
  }
  void leave() noexcept {
    ::ashlar::tsan::release(&state_);
    core::unlock(state_);
  }

  ::ashlar::atomic<core::word> state_{0};
};

}  // namespace tbb
