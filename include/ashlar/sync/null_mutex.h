// SPDX-License-Identifier: Apache-2.0
// tbb::null_mutex and tbb::null_rw_mutex: locks that do nothing.
#pragma once

namespace tbb {

class null_mutex {
 public:
  static constexpr bool is_rw_mutex = false;
  static constexpr bool is_recursive_mutex = true;
  static constexpr bool is_fair_mutex = true;

  class scoped_lock {
   public:
    constexpr scoped_lock() noexcept = default;
    constexpr scoped_lock(null_mutex&) noexcept {}  // NOLINT: implicit, as in TBB
    scoped_lock(scoped_lock const&) = delete;
    scoped_lock& operator=(scoped_lock const&) = delete;
    ~scoped_lock() {}  // not trivial, so that an unused guard is no warning

    void acquire(null_mutex&) noexcept {}
    bool try_acquire(null_mutex&) noexcept { return true; }
    void release() noexcept {}
  };

  constexpr null_mutex() noexcept = default;
  null_mutex(null_mutex const&) = delete;
  null_mutex& operator=(null_mutex const&) = delete;

  void lock() noexcept {}
  bool try_lock() noexcept { return true; }
  void unlock() noexcept {}
};

class null_rw_mutex {
 public:
  static constexpr bool is_rw_mutex = true;
  static constexpr bool is_recursive_mutex = true;
  static constexpr bool is_fair_mutex = true;

  class scoped_lock {
   public:
    constexpr scoped_lock() noexcept = default;
    constexpr scoped_lock(null_rw_mutex&, bool = true) noexcept {}  // NOLINT: implicit, as in TBB
    scoped_lock(scoped_lock const&) = delete;
    scoped_lock& operator=(scoped_lock const&) = delete;
    ~scoped_lock() {}  // not trivial, so that an unused guard is no warning

    void acquire(null_rw_mutex&, bool = true) noexcept {}
    bool try_acquire(null_rw_mutex&, bool = true) noexcept { return true; }
    void release() noexcept {}
    bool upgrade_to_writer() noexcept { return true; }
    bool downgrade_to_reader() noexcept { return true; }
    bool is_writer() const noexcept { return true; }
  };

  constexpr null_rw_mutex() noexcept = default;
  null_rw_mutex(null_rw_mutex const&) = delete;
  null_rw_mutex& operator=(null_rw_mutex const&) = delete;

  void lock() noexcept {}
  bool try_lock() noexcept { return true; }
  void unlock() noexcept {}
  void lock_shared() noexcept {}
  bool try_lock_shared() noexcept { return true; }
  void unlock_shared() noexcept {}
};

}  // namespace tbb
