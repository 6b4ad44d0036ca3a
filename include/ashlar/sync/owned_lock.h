// SPDX-License-Identifier: Apache-2.0
// tbb::critical_section and tbb::reader_writer_lock: the locks that know their owner and refuse it a second time. Both
// stem from Microsoft's Parallel Patterns Library.
//
// The owner's identity is compared with the calling thread's only: a thread sees its own writes, and no other thread
// can have written this thread's identity, so relaxed accesses are enough.
#pragma once

#include <ashlar/base/throw.h>
#include <ashlar/os/native.h>
#include <ashlar/sync/queuing_mutex.h>
#include <ashlar/sync/rw_mutex.h>

namespace ashlar {
inline namespace v1 {
namespace sync {

class lock_owner {
 public:
  bool is_caller() const noexcept { return owner_.load(mo::relaxed) == os::own_native_thread(); }
  bool is_nobody() const noexcept { return owner_.load(mo::relaxed) == 0; }
  void set() noexcept { owner_.store(os::own_native_thread(), mo::relaxed); }
  void clear() noexcept { owner_.store(0, mo::relaxed); }

 private:
  atomic<os::native_thread> owner_{0};
};

}  // namespace sync
}  // namespace v1
}  // namespace ashlar

namespace tbb {

class critical_section {
 public:
  static constexpr bool is_rw_mutex = false;
  static constexpr bool is_recursive_mutex = false;
  static constexpr bool is_fair_mutex = true;

  class scoped_lock {
   public:
    scoped_lock(critical_section& section) : section_(section) { section_.lock(); }  // NOLINT: implicit, as in TBB
    scoped_lock(scoped_lock const&) = delete;
    scoped_lock& operator=(scoped_lock const&) = delete;
    ~scoped_lock() { section_.unlock(); }

   private:
    critical_section& section_;
  };

  constexpr critical_section() noexcept = default;
  critical_section(critical_section const&) = delete;
  critical_section& operator=(critical_section const&) = delete;
  ~critical_section() { ASHLAR_ASSERT(owner_.is_nobody(), "a critical_section in use is destroyed"); }

  void lock() {
    if (owner_.is_caller()) ::ashlar::throw_exception(::ashlar::exception_id::improper_lock);
    core::word nobody = 0;
    if (ASHLAR_UNLIKELY(!word_.compare_exchange(nobody, core::held, order::acquire, order::relaxed))) {  // [QM2]
      node place;
      core::acquire(word_, place);
      successor_ = place.next.load(order::relaxed);
    }
    owner_.set();
  }
  bool try_lock() noexcept {
    core::word nobody = 0;
    if (!word_.compare_exchange(nobody, core::held, order::acquire, order::relaxed)) return false;  // [QM2]
    owner_.set();
    return true;
  }
  void unlock() noexcept {
    ASHLAR_ASSERT(owner_.is_caller(), "a critical_section is unlocked by a thread that has not locked it");
    node* const successor = successor_;
    successor_ = nullptr;
    owner_.clear();
    core::word alone = core::held;
    if (ASHLAR_UNLIKELY(!word_.compare_exchange(alone, 0, order::release, order::relaxed))) {  // [QM1]
      core::release(word_, successor);
    }
  }

 private:
  using node = ::ashlar::sync::queuing_node;
  using core = ::ashlar::sync::queuing;
  using order = ::ashlar::order;

  ::ashlar::atomic<core::word> word_{0};
  node* successor_ = nullptr;  // belongs to the owner
  ::ashlar::sync::lock_owner owner_;
};

ASHLAR_HOME(5)

class reader_writer_lock {
 public:
  class scoped_lock {
   public:
    scoped_lock(reader_writer_lock& lock) : lock_(lock) { lock_.lock(); }  // NOLINT: implicit, as in TBB
    scoped_lock(scoped_lock const&) = delete;
    scoped_lock& operator=(scoped_lock const&) = delete;
    ~scoped_lock() { lock_.unlock(); }

   private:
    reader_writer_lock& lock_;
  };
  class scoped_lock_read {
   public:
    scoped_lock_read(reader_writer_lock& lock) : lock_(lock) { lock_.lock_read(); }  // NOLINT: implicit, as in TBB
    scoped_lock_read(scoped_lock_read const&) = delete;
    scoped_lock_read& operator=(scoped_lock_read const&) = delete;
    ~scoped_lock_read() { lock_.unlock(); }

   private:
    reader_writer_lock& lock_;
  };

  constexpr reader_writer_lock() noexcept = default;
  reader_writer_lock(reader_writer_lock const&) = delete;
  reader_writer_lock& operator=(reader_writer_lock const&) = delete;
  ~reader_writer_lock() {
    ASHLAR_ASSERT(!(state_.load(order::relaxed) & core::busy), "a reader_writer_lock in use is destroyed");
  }

  void lock() {
    refuse_owner();
    if (ASHLAR_UNLIKELY(!core::try_lock(state_))) core::lock(state_);
    owner_.set();
  }
  bool try_lock() noexcept {
    if (!core::try_lock(state_)) return false;
    owner_.set();
    return true;
  }
  void lock_read() {
    refuse_owner();
    if (ASHLAR_UNLIKELY(!core::try_lock_shared(state_))) core::lock_shared(state_);
  }
  bool try_lock_read() noexcept { return core::try_lock_shared(state_); }
  void unlock() noexcept {
    if (owner_.is_caller()) {
      owner_.clear();
      core::unlock(state_);
    } else {
      core::unlock_shared(state_);
    }
  }

 private:
  using core = ::ashlar::sync::rw_word;
  using order = ::ashlar::order;

  void refuse_owner() const {
    if (owner_.is_caller()) ::ashlar::throw_exception(::ashlar::exception_id::improper_lock);
  }

  ::ashlar::atomic<core::word> state_{0};
  ::ashlar::sync::lock_owner owner_;
};

ASHLAR_HOME_END
ASHLAR_KNOWN_IN(5, reader_writer_lock)

}  // namespace tbb
