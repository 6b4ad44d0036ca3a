// SPDX-License-Identifier: Apache-2.0
// tbb::speculative_spin_mutex and tbb::speculative_spin_rw_mutex: spin locks that first try to run the critical section
// as a hardware transaction, without taking the lock. A transaction reads the lock's word, so a thread that really
// takes the lock ends it, and a transaction never runs beside a real holder that excludes it. Without transactions in
// the processor they are their plain forms.
//
// A system call or anything else that a transaction can't hold ends it, and the section runs again under the real lock.
// Fills 128 bytes, so that neighbours don't end transactions.
//
// Model      tests/model/spin_locks_model.cpp
#pragma once

#include <ashlar/base/cache_line.h>
#include <ashlar/sync/rtm.h>
#include <ashlar/sync/spin_mutex.h>
#include <ashlar/sync/spin_rw_mutex.h>

namespace ashlar {
inline namespace v1 {
namespace sync {

/// Returns true inside a transaction in which free() held when it began; false if the real lock has to be taken.
/// With `patient` it waits for the lock to become free before each attempt, as long as free_soon(). A writer does not
/// wait so for readers: where these follow each other without a gap, it would wait for ever. The real lock keeps new
/// readers out for it.
template <typename Free, typename Soon>
bool speculate(Free const& free, bool patient, Soon const& free_soon) noexcept {
  // ThreadSanitizer sees no transaction, and would take what it orders for a race.
  if (ASHLAR_TSAN || !rtm::available()) return false;
  for (int n = 0; n < rtm::attempts; ++n) {
    backoff wait;
    while (!free()) {
      if (!patient || !free_soon()) return false;
      wait.pause();
    }
    rtm::outcome const outcome = rtm::begin();
    if (outcome == rtm::outcome::running) {
      if (!free()) rtm::abort();
      return true;
    }
    if (outcome == rtm::outcome::give_up || !patient) return false;
  }
  return false;
}

template <typename Free>
bool speculate(Free const& free, bool patient) noexcept {
  return sync::speculate(free, patient, []() noexcept { return true; });
}

}  // namespace sync
}  // namespace v1
}  // namespace ashlar

namespace tbb {

class alignas(::ashlar::no_sharing) speculative_spin_mutex {
 public:
  static constexpr bool is_rw_mutex = false;
  static constexpr bool is_recursive_mutex = false;
  static constexpr bool is_fair_mutex = false;

  class scoped_lock {
   public:
    constexpr scoped_lock() noexcept = default;
    scoped_lock(speculative_spin_mutex& m) noexcept { acquire(m); }  // NOLINT: implicit, as in TBB
    scoped_lock(scoped_lock const&) = delete;
    scoped_lock& operator=(scoped_lock const&) = delete;
    ~scoped_lock() {
      if (mutex_ != nullptr) release();
    }

    void acquire(speculative_spin_mutex& m) noexcept {
      ASHLAR_ASSERT(mutex_ == nullptr, "the scoped_lock holds a lock already");
      speculative_ = m.speculate(true);
      if (!speculative_) m.real_.lock();
      mutex_ = &m;
    }
    bool try_acquire(speculative_spin_mutex& m) noexcept {
      ASHLAR_ASSERT(mutex_ == nullptr, "the scoped_lock holds a lock already");
      speculative_ = m.speculate(false);
      if (!speculative_ && !m.real_.try_lock()) return false;
      mutex_ = &m;
      return true;
    }
    void release() noexcept {
      ASHLAR_ASSERT(mutex_, "the scoped_lock holds no lock");
      speculative_spin_mutex* const m = mutex_;
      mutex_ = nullptr;
      speculative_ ? ::ashlar::sync::rtm::end() : m->real_.unlock();
    }

   private:
    speculative_spin_mutex* mutex_ = nullptr;
    bool speculative_ = false;
  };

  constexpr speculative_spin_mutex() noexcept = default;
  speculative_spin_mutex(speculative_spin_mutex const&) = delete;
  speculative_spin_mutex& operator=(speculative_spin_mutex const&) = delete;

  /// The standard's interface takes the lock itself: unlock() could not tell whether lock() speculated. Sections that
  /// speculate meanwhile are given up, as they watch the lock.
  void lock() noexcept { real_.lock(); }
  bool try_lock() noexcept { return real_.try_lock(); }
  void unlock() noexcept { real_.unlock(); }

 private:
  bool speculate(bool patient) noexcept {
    return ::ashlar::sync::speculate([this]() noexcept { return !real_.is_held(); }, patient);
  }

  spin_mutex real_;
};

class alignas(::ashlar::no_sharing) speculative_spin_rw_mutex {
 public:
  static constexpr bool is_rw_mutex = true;
  static constexpr bool is_recursive_mutex = false;
  static constexpr bool is_fair_mutex = false;

  class scoped_lock {
   public:
    constexpr scoped_lock() noexcept = default;
    scoped_lock(speculative_spin_rw_mutex& m, bool write = true) noexcept { acquire(m, write); }  // NOLINT: as in TBB
    scoped_lock(scoped_lock const&) = delete;
    scoped_lock& operator=(scoped_lock const&) = delete;
    ~scoped_lock() {
      if (mutex_ != nullptr) release();
    }

    void acquire(speculative_spin_rw_mutex& m, bool write = true) noexcept {
      ASHLAR_ASSERT(mutex_ == nullptr, "the scoped_lock holds a lock already");
      speculative_ = m.speculate(write, true);
      if (!speculative_) write ? m.real_.lock() : m.real_.lock_shared();
      mutex_ = &m;
      writer_ = write;
    }
    bool try_acquire(speculative_spin_rw_mutex& m, bool write = true) noexcept {
      ASHLAR_ASSERT(mutex_ == nullptr, "the scoped_lock holds a lock already");
      speculative_ = m.speculate(write, false);
      if (!speculative_ && !(write ? m.real_.try_lock() : m.real_.try_lock_shared())) return false;
      mutex_ = &m;
      writer_ = write;
      return true;
    }
    void release() noexcept {
      ASHLAR_ASSERT(mutex_, "the scoped_lock holds no lock");
      speculative_spin_rw_mutex* const m = mutex_;
      mutex_ = nullptr;
      if (speculative_) {
        ::ashlar::sync::rtm::end();
      } else {
        writer_ ? m->real_.unlock() : m->real_.unlock_shared();
      }
    }
    /// True if the lock was not released on the way; else somebody else may have written meanwhile.
    bool upgrade_to_writer() noexcept {
      ASHLAR_ASSERT(mutex_, "the scoped_lock holds no lock");
      if (writer_) return true;
      if (speculative_) {
        // Real readers exclude a writer; the section then runs again from its acquire(), where the word is watched.
        if (!mutex_->is_free(true)) ::ashlar::sync::rtm::abort();
        writer_ = true;
        return true;
      }
      writer_ = true;
      return mutex_->real_.upgrade();
    }
    /// Always true: the lock is never released on the way.
    bool downgrade_to_reader() noexcept {
      ASHLAR_ASSERT(mutex_, "the scoped_lock holds no lock");
      if (writer_ && !speculative_) mutex_->real_.downgrade();
      writer_ = false;
      return true;
    }
    bool is_writer() const noexcept {
      ASHLAR_ASSERT(mutex_, "the scoped_lock holds no lock");
      return writer_;
    }

   private:
    speculative_spin_rw_mutex* mutex_ = nullptr;
    bool speculative_ = false;
    bool writer_ = false;
  };

  constexpr speculative_spin_rw_mutex() noexcept = default;
  speculative_spin_rw_mutex(speculative_spin_rw_mutex const&) = delete;
  speculative_spin_rw_mutex& operator=(speculative_spin_rw_mutex const&) = delete;

  /// The standard's interface, as above.
  void lock() noexcept { real_.lock(); }
  bool try_lock() noexcept { return real_.try_lock(); }
  void unlock() noexcept { real_.unlock(); }
  void lock_shared() noexcept { real_.lock_shared(); }
  bool try_lock_shared() noexcept { return real_.try_lock_shared(); }
  void unlock_shared() noexcept { real_.unlock_shared(); }

 private:
  bool is_free(bool write) const noexcept { return write ? !real_.is_held() : !real_.is_held_by_writer(); }
  bool speculate(bool write, bool patient) noexcept {
    return ::ashlar::sync::speculate([this, write]() noexcept { return is_free(write); }, patient,
                                     [this]() noexcept { return real_.is_held_by_writer(); });
  }

  spin_rw_mutex real_;
};

}  // namespace tbb
