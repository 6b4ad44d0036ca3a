// SPDX-License-Identifier: Apache-2.0
// Classic TBB's thread, from before std::thread. A tbb_thread that is destroyed or assigned to while it is joinable
// detaches its thread (std::thread would terminate). An exception that leaves the thread's function terminates the
// program. Any thread may use different objects; one object is used by one thread at a time.
#pragma once

#include <ashlar/base/config.h>
#include <ashlar/sync/backoff.h>
#include <ashlar/sync/condition_variable.h>
#include <ashlar/sync/native_thread.h>
#include <tbb/tick_count.h>

#include <cstddef>
#include <iosfwd>
#include <utility>

namespace tbb {

class tbb_thread {
 public:
  using native_handle_type = ::ashlar::os::native_thread;
  class id;

  tbb_thread() noexcept = default;
  /// Runs f(), f(x) or f(x, y) on copies of the arguments. Throws std::bad_alloc, or std::runtime_error if the system
  /// has no more threads, or what copying throws.
  template <typename F>
  explicit tbb_thread(F f) {
    start([f = std::move(f)]() mutable { f(); });
  }
  template <typename F, typename X>
  tbb_thread(F f, X x) {
    start([f = std::move(f), x = std::move(x)]() mutable { f(x); });
  }
  template <typename F, typename X, typename Y>
  tbb_thread(F f, X x, Y y) {
    start([f = std::move(f), x = std::move(x), y = std::move(y)]() mutable { f(x, y); });
  }
  tbb_thread(tbb_thread&& other) noexcept : handle_(other.handle_) { other.handle_ = 0; }
  tbb_thread& operator=(tbb_thread&& other) noexcept {
    if (this != &other) {
      if (joinable()) detach();
      handle_ = other.handle_;
      other.handle_ = 0;
    }
    return *this;
  }
  ~tbb_thread() {
    if (joinable()) detach();
  }

  void swap(tbb_thread& other) noexcept { std::swap(handle_, other.handle_); }
  bool joinable() const noexcept { return handle_ != 0; }
  /// Waits until the thread has ended. Must be joinable. Throws std::system_error when a thread joins itself.
  void join() {
    ASHLAR_ASSERT(joinable(), "the tbb_thread has no thread to join");
    ::ashlar::sync::join_thread(handle_);
    handle_ = 0;
  }
  /// Must be joinable.
  void detach() noexcept {
    ASHLAR_ASSERT(joinable(), "the tbb_thread has no thread to detach");
    ::ashlar::sync::detach_thread(handle_);
    handle_ = 0;
  }
  inline id get_id() const noexcept;
  native_handle_type native_handle() noexcept { return handle_; }

  /// The processors that this process may use.
  static unsigned hardware_concurrency() noexcept { return ::ashlar::sync::usable_processors(); }

 private:
  template <typename Closure>
  void start(Closure&& closure) {
    struct holder {
      Closure* closure;
      ~holder() { delete closure; }
    } owner{new Closure(std::move(closure))};
    handle_ = ::ashlar::sync::start_thread(
        [](void* p) -> void* {
          holder const running{static_cast<Closure*>(p)};
          (*running.closure)();
          return nullptr;
        },
        owner.closure);
    owner.closure = nullptr;
  }

  native_handle_type handle_ = 0;
};

namespace this_tbb_thread {
tbb_thread::id get_id() noexcept;
}

/// Identifies a thread; all ids of no thread are equal. Ids may be used again after a thread has been joined.
class tbb_thread::id {
 public:
  id() noexcept = default;
  explicit id(native_handle_type value) noexcept : value_(value) {}

  friend bool operator==(id a, id b) noexcept { return a.value_ == b.value_; }
  friend bool operator!=(id a, id b) noexcept { return a.value_ != b.value_; }
  friend bool operator<(id a, id b) noexcept { return a.value_ < b.value_; }
  friend bool operator<=(id a, id b) noexcept { return a.value_ <= b.value_; }
  friend bool operator>(id a, id b) noexcept { return a.value_ > b.value_; }
  friend bool operator>=(id a, id b) noexcept { return a.value_ >= b.value_; }
  template <typename Char, typename Traits>
  friend std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out, id i) {
    out << i.value_;
    return out;
  }
  friend std::size_t tbb_hasher(id const& i) noexcept {
    return reinterpret_cast<std::size_t>(i.value_) * 0x9E3779B97F4A7C15u;
  }

 private:
  native_handle_type value_ = 0;
};

inline tbb_thread::id tbb_thread::get_id() const noexcept { return id(handle_); }

/// Classic TBB's moves for C++03: the second thread's handle goes to the first.
inline void move(tbb_thread& to, tbb_thread& from) noexcept { to = std::move(from); }
inline void swap(tbb_thread& a, tbb_thread& b) noexcept { a.swap(b); }

namespace this_tbb_thread {

inline tbb_thread::id get_id() noexcept { return tbb_thread::id(::ashlar::os::own_native_thread()); }
/// Lets another ready thread run.
inline void yield() noexcept { ::ashlar::sync::yield_thread(); }
/// Sleeps at least so long.
inline void sleep(tick_count::interval_t const& i) noexcept {
  ::ashlar::sync::sleep_for(::ashlar::sync::to_ns(i.seconds()));
}

}  // namespace this_tbb_thread
}  // namespace tbb

#include <tbb/detail/closure/atomic.h>
#if !ASHLAR_LEAN_HEADERS
#include <ashlar/containers/hash_compare.h>

#include <ctime>
#include <string>
#endif
