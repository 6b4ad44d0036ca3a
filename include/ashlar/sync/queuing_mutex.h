// SPDX-License-Identifier: Apache-2.0
// tbb::queuing_mutex: first come, first served, without collapse when there are more threads than processors.
//
// Waiters form a list of their scoped_locks, as in the lock of Mellor-Crummey and Scott (1991); only its head looks at
// the mutex's word, the others wait on their own scoped_lock, and sleep when that takes long. A head that sleeps, or is
// just being woken, cannot take the lock anyway: for that time the lock is open, and running threads may take it past
// the list. When the head runs it closes the lock, and the next one to have it is the head. So running threads are
// served in order, and every waiter gets the lock as soon as its turn has come and it has a processor.
//
// Invariants QM-I1 open and head_asleep are set only while there is a list, and ignored otherwise.
//            QM-I2 a scoped_lock that waits stays in place until it has the lock. The one that hands it the head's role
//                  writes to it before the lock is released, and afterwards uses only its address.
// Ordering   [QM1] release        -> [QM2] acquire, by whichever path
//            [QM3] scoped_lock linked -> [QM4] predecessor reads the link
//            [QM5] [QM6] see src/sync/queue_turn.h
// Cost       uncontended: 2 locked instructions.
// Model      tests/model/queuing_mutex_model.cpp
#pragma once

#include <ashlar/base/assert.h>
#include <ashlar/base/tsan.h>
#include <ashlar/sync/queuing_node.h>

namespace ashlar {
inline namespace v1 {
namespace sync {

/// The word of a queuing_mutex and the slow parts of its operations.
struct queuing {
  using word = std::uintptr_t;
  /// The rest of the word is the last waiter's address.
  enum bits : word { held = 1, open = 2, head_asleep = 4, all_bits = 7 };

  ASHLAR_EXPORT ASHLAR_COLD static void acquire(atomic<word>& mutex, queuing_node& me) noexcept;
  /// Releases a lock that has waiters; `successor` is what the holder's `next` held.
  ASHLAR_EXPORT ASHLAR_COLD static void release(atomic<word>& mutex, queuing_node* successor) noexcept;
};

}  // namespace sync
}  // namespace v1
}  // namespace ashlar

namespace tbb {

class queuing_mutex {
  using node = ::ashlar::sync::queuing_node;
  using core = ::ashlar::sync::queuing;
  using order = ::ashlar::order;

 public:
  static constexpr bool is_rw_mutex = false;
  static constexpr bool is_recursive_mutex = false;
  static constexpr bool is_fair_mutex = true;

  /// The lock, and the place in the list while waiting for it. Must stay in place while it waits or holds.
  class scoped_lock {
   public:
    scoped_lock() noexcept = default;
    scoped_lock(queuing_mutex& m) noexcept { acquire(m); }  // NOLINT: implicit, as in TBB
    scoped_lock(scoped_lock const&) = delete;
    scoped_lock& operator=(scoped_lock const&) = delete;
    ~scoped_lock() {
      if (mutex_ != nullptr) release();
    }

    void acquire(queuing_mutex& m) noexcept {
      ASHLAR_ASSERT(mutex_ == nullptr, "the scoped_lock holds a lock already");
      core::word nobody = 0;
      if (ASHLAR_UNLIKELY(!m.word_.compare_exchange(nobody, core::held, order::acquire, order::relaxed))) {  // [QM2]
        core::acquire(m.word_, node_);
        ::ashlar::tsan::acquire(&m.word_);
      }
      mutex_ = &m;
    }
    bool try_acquire(queuing_mutex& m) noexcept {
      ASHLAR_ASSERT(mutex_ == nullptr, "the scoped_lock holds a lock already");
      core::word nobody = 0;
      if (m.word_.load(order::relaxed) != 0 ||
          !m.word_.compare_exchange(nobody, core::held, order::acquire, order::relaxed)) {  // [QM2]
        return false;
      }
      mutex_ = &m;
      return true;
    }
    void release() noexcept {
      ASHLAR_ASSERT(mutex_, "the scoped_lock holds no lock");
      ::ashlar::atomic<core::word>& word = mutex_->word_;
      mutex_ = nullptr;
      ::ashlar::tsan::release(&word);
      // Without waiters one compare-exchange does; fetch_and is a load and a loop of them.
      core::word alone = core::held;
      if (ASHLAR_UNLIKELY(!word.compare_exchange(alone, 0, order::release, order::relaxed))) {  // [QM1]
        node* const successor = node_.next.load(order::relaxed);
        node_.next.store(nullptr, order::relaxed);
        core::release(word, successor);
      }
    }

   private:
    queuing_mutex* mutex_ = nullptr;
    node node_;
  };

  constexpr queuing_mutex() noexcept = default;
  queuing_mutex(queuing_mutex const&) = delete;
  queuing_mutex& operator=(queuing_mutex const&) = delete;
  ~queuing_mutex() { ASHLAR_ASSERT(word_.load(order::relaxed) == 0, "a mutex in use is destroyed"); }

 private:
  ::ashlar::atomic<core::word> word_{0};
};

}  // namespace tbb
