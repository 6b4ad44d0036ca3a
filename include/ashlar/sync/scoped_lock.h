// SPDX-License-Identifier: Apache-2.0
// The scoped_lock types of all locks but the queuing ones: a pointer to the lock that is held, and for
// reader-writer locks whether it is held for writing. A scoped_lock belongs to one thread.
#pragma once

#include <ashlar/base/assert.h>
#include <ashlar/base/config.h>

namespace ashlar {
inline namespace v1 {
namespace sync {

template <typename Mutex>
class unique_scoped_lock {
 public:
  constexpr unique_scoped_lock() noexcept = default;
  unique_scoped_lock(Mutex& m) { acquire(m); }  // NOLINT: implicit, as in TBB
  unique_scoped_lock(unique_scoped_lock const&) = delete;
  unique_scoped_lock& operator=(unique_scoped_lock const&) = delete;
  ~unique_scoped_lock() {
    if (mutex_ != nullptr) mutex_->unlock();
  }

  void acquire(Mutex& m) {
    ASHLAR_ASSERT(mutex_ == nullptr, "the scoped_lock holds a lock already");
    m.lock();
    mutex_ = &m;
  }
  bool try_acquire(Mutex& m) {
    ASHLAR_ASSERT(mutex_ == nullptr, "the scoped_lock holds a lock already");
    bool const locked = m.try_lock();
    if (locked) mutex_ = &m;
    return locked;
  }
  void release() {
    ASHLAR_ASSERT(mutex_, "the scoped_lock holds no lock");
    Mutex* const m = mutex_;
    mutex_ = nullptr;
    m->unlock();
  }

 private:
  Mutex* mutex_ = nullptr;
};

/// Mutex has lock, lock_shared and their kin, and lets this class call its
///   bool upgrade()     a reader becomes the writer; false if the lock was released meanwhile
///   void downgrade()   the writer becomes a reader without releasing the lock
///   void leave()       the writer's unlock().
template <typename Mutex>
class rw_scoped_lock {
 public:
  constexpr rw_scoped_lock() noexcept = default;
  rw_scoped_lock(Mutex& m, bool write = true) { acquire(m, write); }  // NOLINT: implicit, as in TBB
  rw_scoped_lock(rw_scoped_lock const&) = delete;
  rw_scoped_lock& operator=(rw_scoped_lock const&) = delete;
  ~rw_scoped_lock() {
    if (mutex_ != nullptr) release();
  }

  void acquire(Mutex& m, bool write = true) {
    ASHLAR_ASSERT(mutex_ == nullptr, "the scoped_lock holds a lock already");
    write ? m.lock() : m.lock_shared();
    mutex_ = &m;
    writer_ = write;
  }
  bool try_acquire(Mutex& m, bool write = true) {
    ASHLAR_ASSERT(mutex_ == nullptr, "the scoped_lock holds a lock already");
    bool const locked = write ? m.try_lock() : m.try_lock_shared();
    if (locked) {
      mutex_ = &m;
      writer_ = write;
    }
    return locked;
  }
  void release() {
    ASHLAR_ASSERT(mutex_, "the scoped_lock holds no lock");
    Mutex* const m = mutex_;
    mutex_ = nullptr;
    writer_ ? m->leave() : m->unlock_shared();
  }
  /// True if the lock was not released on the way; else somebody else may have written meanwhile.
  bool upgrade_to_writer() {
    ASHLAR_ASSERT(mutex_, "the scoped_lock holds no lock");
    if (writer_) return true;
    writer_ = true;
    return mutex_->upgrade();
  }
  /// Always true: the lock is never released on the way.
  bool downgrade_to_reader() {
    ASHLAR_ASSERT(mutex_, "the scoped_lock holds no lock");
    if (writer_) {
      mutex_->downgrade();
      writer_ = false;
    }
    return true;
  }
  bool is_writer() const {
    ASHLAR_ASSERT(mutex_, "the scoped_lock holds no lock");
    return writer_;
  }

 protected:
  Mutex* mutex_ = nullptr;
  bool writer_ = false;
};

}  // namespace sync
}  // namespace v1
}  // namespace ashlar
