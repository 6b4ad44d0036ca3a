// SPDX-License-Identifier: Apache-2.0
// The condition variables of classic TBB's compat/condition_variable: one for each of the two locks that tbb::mutex
// can be, and the lock objects that they take.
//
// The one for the adaptive mutex has no state but its address: a waiter enlists itself under its address while it still
// holds the mutex, so a notification that follows the release of the mutex finds it.
#pragma once

#include <ashlar/base/assert.h>
#include <ashlar/base/throw.h>
#include <ashlar/sync/mutex.h>
#include <ashlar/sync/os_mutex.h>
#include <ashlar/sync/wait_on.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sync {

struct defer_lock_t {};
struct try_to_lock_t {};
struct adopt_lock_t {};

/// 100 us, the step of unique_lock's timed attempt; and a clock in nanoseconds for it.
ASHLAR_EXPORT void sleep_for(std::uint64_t nanoseconds) noexcept;
ASHLAR_EXPORT std::uint64_t monotonic_ns() noexcept;

/// Seconds to nanoseconds; what is negative or not a number is 0, what is too much is for ever.
inline std::uint64_t to_ns(double seconds) noexcept {
  if (!(seconds > 0)) return 0;
  return seconds < 9e9 ? static_cast<std::uint64_t>(seconds * 1e9) : wait_forever;
}

template <typename Mutex>
class lock_guard {
 public:
  using mutex_type = Mutex;
  explicit lock_guard(Mutex& m) : mutex_(m) { m.lock(); }
  lock_guard(Mutex& m, adopt_lock_t) noexcept : mutex_(m) {}
  lock_guard(lock_guard const&) = delete;
  lock_guard& operator=(lock_guard const&) = delete;
  ~lock_guard() { mutex_.unlock(); }

 private:
  Mutex& mutex_;
};

/// Interval is anything with a member seconds(), such as tbb::tick_count::interval_t.
template <typename Mutex>
class unique_lock {
 public:
  using mutex_type = Mutex;

  unique_lock() noexcept = default;
  explicit unique_lock(Mutex& m) : mutex_(&m), owns_(false) { lock(); }
  unique_lock(Mutex& m, defer_lock_t) noexcept : mutex_(&m) {}
  unique_lock(Mutex& m, try_to_lock_t) : mutex_(&m), owns_(m.try_lock()) {}
  unique_lock(Mutex& m, adopt_lock_t) noexcept : mutex_(&m), owns_(true) {}
  template <typename Interval, typename = decltype(static_cast<Interval const*>(nullptr)->seconds())>
  unique_lock(Mutex& m, Interval const& i) : mutex_(&m) {
    try_lock_for(i);
  }
  unique_lock(unique_lock&& other) noexcept { swap(other); }
  unique_lock& operator=(unique_lock&& other) noexcept {
    if (owns_) mutex_->unlock();
    mutex_ = nullptr;
    owns_ = false;
    swap(other);
    return *this;
  }
  ~unique_lock() {
    if (owns_) mutex_->unlock();
  }

  /// Without a mutex: std::system_error (operation not permitted). When it holds the lock: std::system_error
  /// (deadlock).
  void lock() {
    check_lockable();
    mutex_->lock();
    owns_ = true;
  }
  bool try_lock() {
    check_lockable();
    owns_ = mutex_->try_lock();
    return owns_;
  }
  /// Looks at the lock every 100 us until the time is over.
  template <typename Interval>
  bool try_lock_for(Interval const& i) {
    check_lockable();
    constexpr std::uint64_t step = 100'000;
    std::uint64_t const span = to_ns(i.seconds());
    for (std::uint64_t const start = monotonic_ns(); !(owns_ = mutex_->try_lock());) {
      if (monotonic_ns() - start >= span) break;
      sleep_for(step);
    }
    return owns_;
  }
  void unlock() {
    if (!owns_) throw_exception(exception_id::operation_not_permitted);
    mutex_->unlock();
    owns_ = false;
  }
  void swap(unique_lock& other) noexcept {
    Mutex* const m = other.mutex_;
    bool const o = other.owns_;
    other.mutex_ = mutex_;
    other.owns_ = owns_;
    mutex_ = m;
    owns_ = o;
  }
  /// Gives up the association without unlocking.
  Mutex* release() noexcept {
    Mutex* const m = mutex_;
    mutex_ = nullptr;
    owns_ = false;
    return m;
  }
  bool owns_lock() const noexcept { return owns_; }
  operator bool() const noexcept { return owns_; }  // NOLINT: implicit, as in TBB
  Mutex* mutex() const noexcept { return mutex_; }

 private:
  void check_lockable() const {
    if (!mutex_) throw_exception(exception_id::operation_not_permitted);
    if (owns_) throw_exception(exception_id::possible_deadlock);
  }

  Mutex* mutex_ = nullptr;
  bool owns_ = false;
};

template <typename Mutex>
void swap(unique_lock<Mutex>& a, unique_lock<Mutex>& b) noexcept {
  a.swap(b);
}

enum cv_status { no_timeout, timeout };

/// What both condition variables share: waiting for a predicate.
template <typename Derived, typename Mutex>
class condition_variable_base {
 public:
  template <typename Predicate>
  void wait(unique_lock<Mutex>& lock, Predicate pred) {
    while (!pred()) self().wait(lock);
  }
  template <typename Interval>
  cv_status wait_for(unique_lock<Mutex>& lock, Interval const& i) {
    return self().wait_ns(lock, to_ns(i.seconds()));
  }
  /// False: the time is over, and the predicate still does not hold.
  template <typename Interval, typename Predicate>
  bool wait_for(unique_lock<Mutex>& lock, Interval const& i, Predicate pred) {
    std::uint64_t const span = to_ns(i.seconds());
    std::uint64_t const start = monotonic_ns();
    while (!pred()) {
      std::uint64_t const gone = monotonic_ns() - start;
      if (gone >= span || self().wait_ns(lock, span == wait_forever ? span : span - gone) == timeout) return pred();
    }
    return true;
  }

 private:
  Derived& self() noexcept { return static_cast<Derived&>(*this); }
};

class adaptive_condition_variable : public condition_variable_base<adaptive_condition_variable, adaptive_mutex> {
  using base = condition_variable_base<adaptive_condition_variable, adaptive_mutex>;

 public:
  adaptive_condition_variable() noexcept = default;
  adaptive_condition_variable(adaptive_condition_variable const&) = delete;
  adaptive_condition_variable& operator=(adaptive_condition_variable const&) = delete;

  void notify_one() noexcept { wake_one(this); }
  void notify_all() noexcept { wake_all(this); }
  using base::wait;
  void wait(unique_lock<adaptive_mutex>& lock) noexcept { wait_ns(lock, wait_forever); }
  /// What the base's waits are made of.
  cv_status wait_ns(unique_lock<adaptive_mutex>& lock, std::uint64_t nanoseconds) noexcept {
    ASHLAR_ASSERT(lock.owns_lock(), "a condition variable is waited for without the lock");
    adaptive_mutex* const m = lock.release();
    wait_result const how =
        wait_after(this, [](void* mutex) noexcept { static_cast<adaptive_mutex*>(mutex)->unlock(); }, m, nanoseconds);
    m->lock();
    lock = unique_lock<adaptive_mutex>(*m, adopt_lock_t());
    return how == wait_result::timed_out ? timeout : no_timeout;
  }
};

class os_condition_variable : public condition_variable_base<os_condition_variable, os_mutex> {
  using base = condition_variable_base<os_condition_variable, os_mutex>;

 public:
  using native_handle_type = os::native_condition*;

  ASHLAR_EXPORT os_condition_variable();
  os_condition_variable(os_condition_variable const&) = delete;
  os_condition_variable& operator=(os_condition_variable const&) = delete;
  ~os_condition_variable() { os::destroy(condition_); }

  void notify_one() noexcept { os::notify_one(condition_); }
  void notify_all() noexcept { os::notify_all(condition_); }
  using base::wait;
  /// Throws std::runtime_error if the system refuses.
  void wait(unique_lock<os_mutex>& lock) { wait_ns(lock, wait_forever); }
  native_handle_type native_handle() noexcept { return &condition_; }
  /// What the base's waits are made of. Throws as wait() does.
  ASHLAR_EXPORT cv_status wait_ns(unique_lock<os_mutex>& lock, std::uint64_t nanoseconds);

 private:
  os::native_condition condition_;
};

}  // namespace sync
}  // namespace v1
}  // namespace ashlar
