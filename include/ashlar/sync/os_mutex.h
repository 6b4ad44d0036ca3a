// SPDX-License-Identifier: Apache-2.0
// The locks of the operating system: classic TBB's mutex and recursive_mutex, with the native handle that their
// users hand to pthread functions. 40 bytes.
#pragma once

#include <ashlar/os/native.h>
#include <ashlar/sync/scoped_lock.h>

namespace ashlar {
inline namespace v1 {
namespace sync {

/// std::runtime_error with the text and the system's description of the error number.
[[noreturn]] ASHLAR_EXPORT ASHLAR_COLD void throw_os_error(int error, char const* what);
ASHLAR_EXPORT void init_recursive(os::native_mutex& m);

class os_mutex {
 public:
  static constexpr bool is_rw_mutex = false;
  static constexpr bool is_recursive_mutex = false;
  static constexpr bool is_fair_mutex = false;

  using scoped_lock = unique_scoped_lock<os_mutex>;
  using native_handle_type = os::native_mutex*;

  constexpr os_mutex() noexcept = default;
  os_mutex(os_mutex const&) = delete;
  os_mutex& operator=(os_mutex const&) = delete;
  ~os_mutex() {
    int const error = os::destroy(mutex_);
    ASHLAR_ASSERT(!error, "a mutex in use is destroyed");
    (void)error;
  }

  void lock() {
    int const error = os::lock(mutex_);
    if (ASHLAR_UNLIKELY(error != 0)) throw_os_error(error, "mutex: pthread_mutex_lock failed");
  }
  bool try_lock() noexcept { return os::try_lock(mutex_); }
  void unlock() noexcept { os::unlock(mutex_); }
  native_handle_type native_handle() noexcept { return &mutex_; }

 private:
  os::native_mutex mutex_{};  // what PTHREAD_MUTEX_INITIALIZER is on Linux, without its 0 for a pointer
};

}  // namespace sync
}  // namespace v1
}  // namespace ashlar

namespace tbb {

class recursive_mutex {
 public:
  static constexpr bool is_rw_mutex = false;
  static constexpr bool is_recursive_mutex = true;
  static constexpr bool is_fair_mutex = false;

  using scoped_lock = ::ashlar::sync::unique_scoped_lock<recursive_mutex>;
  using native_handle_type = ::ashlar::os::native_mutex*;

  /// Throws std::runtime_error if the system refuses.
  recursive_mutex() { ::ashlar::sync::init_recursive(mutex_); }
  recursive_mutex(recursive_mutex const&) = delete;
  recursive_mutex& operator=(recursive_mutex const&) = delete;
  ~recursive_mutex() {
    int const error = ::ashlar::os::destroy(mutex_);
    ASHLAR_ASSERT(!error, "a mutex in use is destroyed");
    (void)error;
  }

  /// Throws std::runtime_error when one thread has locked too often.
  void lock() {
    int const error = ::ashlar::os::lock(mutex_);
    if (ASHLAR_UNLIKELY(error != 0)) {
      ::ashlar::sync::throw_os_error(error, "recursive_mutex: pthread_mutex_lock failed");
    }
  }
  bool try_lock() noexcept { return ::ashlar::os::try_lock(mutex_); }
  void unlock() noexcept { ::ashlar::os::unlock(mutex_); }
  native_handle_type native_handle() noexcept { return &mutex_; }

 private:
  ::ashlar::os::native_mutex mutex_;
};

}  // namespace tbb
