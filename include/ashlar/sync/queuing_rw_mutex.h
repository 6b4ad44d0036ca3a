// SPDX-License-Identifier: Apache-2.0
// tbb::queuing_rw_mutex: readers and writers in the order of their coming; readers that stand one behind the other
// enter together. The list of waiters and the open lock are those of queuing_mutex.
//
// The word holds, from the low end: notes, the number of readers that are in, and the address of the last waiter. While
// there is a list, only its head enters; with the lock open a running thread may overtake, but only into a lock
// that nobody is in, so that readers who overtake can't keep a writer at the head waiting for ever.
//
// Invariants QR-I1 open and head_asleep are set only while there is a list, and ignored otherwise.
//            QR-I2 `upgrading` is set by a reader that is in; while it is set nobody enters.
// Ordering   [QR1] writer or reader leaves -> [QR2] writer or reader enters, upgrader sees that it is alone
//            [QR3] waiter writes its place, then appends itself -> [QR4] next waiter reads the last one's address
// Cost       uncontended: 2 locked instructions, for reading as well as writing.
// Model      tests/model/queuing_rw_mutex_model.cpp
#pragma once

#include <ashlar/base/assert.h>
#include <ashlar/base/tsan.h>
#include <ashlar/sync/queuing_node.h>

namespace ashlar {
inline namespace v1 {
namespace sync {

/// The word of a queuing_rw_mutex and the slow parts of its operations.
struct queuing_rw {
  using word = std::uint64_t;
  enum bits : word {
    writer = 1,
    open = 2,
    head_asleep = 4,
    upgrading = 8,
    upgrader_asleep = 16,
    one_reader = 32,
    all_readers = 0x7ffe0,
    lowest_address_bit = 0x80000
  };
  /// Addresses of waiters are multiples of 8 and fit into the other 45 bits; see enter_unlisted().
  static constexpr unsigned address_shift = 19;

  /// Nobody is in and nobody waits but readers that are in.
  static constexpr bool readers_only(word w) noexcept { return (w & ~word{all_readers}) == 0 && w != all_readers; }

  ASHLAR_EXPORT ASHLAR_COLD static void acquire(atomic<word>& mutex, queuing_node& me, bool write) noexcept;
  ASHLAR_EXPORT static bool try_acquire(atomic<word>& mutex, bool write) noexcept;
  /// Enters when the lock allows, past all waiters: for a waiter whose address has too many bits (an address space
  /// of more than 48 bits, or tagged pointers).
  ASHLAR_EXPORT ASHLAR_COLD static void enter_unlisted(atomic<word>& mutex, bool write) noexcept;
  /// The caller is a reader. False if it had to leave the lock on the way to the writer's.
  ASHLAR_EXPORT static bool upgrade(atomic<word>& mutex, queuing_node& me) noexcept;
  ASHLAR_EXPORT static void downgrade(atomic<word>& mutex, queuing_node& me) noexcept;
  /// For who has left; `before` is the word that it found. The mutex is an address and is not read.
  ASHLAR_EXPORT ASHLAR_COLD static void wake_after_writer(atomic<word>& mutex, word before,
                                                          queuing_node* successor) noexcept;
  ASHLAR_EXPORT ASHLAR_COLD static void wake_after_reader(atomic<word>& mutex, word before) noexcept;

  ASHLAR_ALWAYS_INLINE static void leave_writer(atomic<word>& mutex, queuing_node& me) noexcept {
    queuing_node* const successor = me.next.load(mo::relaxed);
    word const before = mutex.fetch_and(~(word{writer} | head_asleep), mo::release);  // [QR1]
    if (ASHLAR_UNLIKELY((before & head_asleep) || successor != nullptr)) {
      me.next.store(nullptr, mo::relaxed);
      wake_after_writer(mutex, before, successor);
    }
  }
  ASHLAR_ALWAYS_INLINE static void leave_reader(atomic<word>& mutex) noexcept {
    word const before = mutex.fetch_sub(one_reader, mo::release);  // [QR1]
    if (ASHLAR_UNLIKELY(before & (head_asleep | upgrader_asleep))) wake_after_reader(mutex, before);
  }
};

}  // namespace sync
}  // namespace v1
}  // namespace ashlar

namespace tbb {

class queuing_rw_mutex {
  using node = ::ashlar::sync::queuing_node;
  using core = ::ashlar::sync::queuing_rw;
  using order = ::ashlar::order;

 public:
  static constexpr bool is_rw_mutex = true;
  static constexpr bool is_recursive_mutex = false;
  static constexpr bool is_fair_mutex = true;

  /// The lock, and the place in the list while waiting for it. Must stay in place while it waits or holds.
  class scoped_lock {
   public:
    scoped_lock() noexcept = default;
    scoped_lock(queuing_rw_mutex& m, bool write = true) noexcept { acquire(m, write); }  // NOLINT: implicit, as in TBB
    scoped_lock(scoped_lock const&) = delete;
    scoped_lock& operator=(scoped_lock const&) = delete;
    ~scoped_lock() {
      if (mutex_ != nullptr) release();
    }

    void acquire(queuing_rw_mutex& m, bool write = true) noexcept {
      ASHLAR_ASSERT(mutex_ == nullptr, "the scoped_lock holds a lock already");
      core::word w = write ? 0 : m.word_.load(order::relaxed);
      bool const entered =
          core::readers_only(w) && m.word_.compare_exchange(w, write ? core::writer : w + core::one_reader,
                                                            order::acquire, order::relaxed);  // [QR2]
      if (ASHLAR_UNLIKELY(!entered)) {
        core::acquire(m.word_, node_, write);
        ::ashlar::tsan::acquire(&m.word_);
      }
      mutex_ = &m;
      writer_ = write;
    }
    bool try_acquire(queuing_rw_mutex& m, bool write = true) noexcept {
      ASHLAR_ASSERT(mutex_ == nullptr, "the scoped_lock holds a lock already");
      if (!core::try_acquire(m.word_, write)) return false;
      ::ashlar::tsan::acquire(&m.word_);
      mutex_ = &m;
      writer_ = write;
      return true;
    }
    void release() noexcept {
      ASHLAR_ASSERT(mutex_, "the scoped_lock holds no lock");
      ::ashlar::atomic<core::word>& word = mutex_->word_;
      mutex_ = nullptr;
      ::ashlar::tsan::release(&word);
      writer_ ? core::leave_writer(word, node_) : core::leave_reader(word);
    }
    /// True if the lock was not released on the way; else somebody else may have written meanwhile.
    bool upgrade_to_writer() noexcept {
      ASHLAR_ASSERT(mutex_, "the scoped_lock holds no lock");
      if (writer_) return true;
      writer_ = true;
      ::ashlar::tsan::release(&mutex_->word_);
      bool const held = core::upgrade(mutex_->word_, node_);
      ::ashlar::tsan::acquire(&mutex_->word_);
      return held;
    }
    /// Always true: the lock is never released on the way.
    bool downgrade_to_reader() noexcept {
      ASHLAR_ASSERT(mutex_, "the scoped_lock holds no lock");
      if (writer_) {
        ::ashlar::tsan::release(&mutex_->word_);
        core::downgrade(mutex_->word_, node_);
        writer_ = false;
      }
      return true;
    }
    bool is_writer() const noexcept {
      ASHLAR_ASSERT(mutex_, "the scoped_lock holds no lock");
      return writer_;
    }

   private:
    queuing_rw_mutex* mutex_ = nullptr;
    node node_;
    bool writer_ = false;
  };

  constexpr queuing_rw_mutex() noexcept = default;
  queuing_rw_mutex(queuing_rw_mutex const&) = delete;
  queuing_rw_mutex& operator=(queuing_rw_mutex const&) = delete;
  /// The head may have opened the list after its successor, the last in it, had left: that is no use.
  ~queuing_rw_mutex() {
    ASHLAR_ASSERT((word_.load(order::relaxed) & ~core::word{core::open}) == 0, "a mutex in use is destroyed");
  }

 private:
  ::ashlar::atomic<core::word> word_{0};
};

}  // namespace tbb
