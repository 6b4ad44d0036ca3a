// SPDX-License-Identifier: Apache-2.0
// Wall-clock time for measurements.
#pragma once

#include <ashlar/base/config.h>
#include <ashlar/os/monotonic.h>

#if !ASHLAR_LEAN_HEADERS && !ASHLAR_CLASSIC_DIALECT
#include <chrono>

namespace tbb {
class tick_count;
}
namespace ashlar {
inline namespace v1 {

/// oneTBB's interval_t: a duration of the standard library. Classic TBB's is none, so each has its own linker name.
class tick_interval : public std::chrono::steady_clock::duration {
 public:
  tick_interval() noexcept : duration(0) {}
  explicit tick_interval(double seconds) noexcept : duration(static_cast<rep>(seconds * 1e9)) {}

  double seconds() const noexcept { return static_cast<double>(count()) / 1e9; }

  using duration::operator+=;
  using duration::operator-=;
  tick_interval& operator+=(tick_interval const& other) noexcept {
    duration::operator+=(other);
    return *this;
  }
  tick_interval& operator-=(tick_interval const& other) noexcept {
    duration::operator-=(other);
    return *this;
  }
  friend tick_interval operator+(tick_interval const& a, tick_interval const& b) noexcept {
    return tick_interval(a) += b;
  }
  friend tick_interval operator-(tick_interval const& a, tick_interval const& b) noexcept {
    return tick_interval(a) -= b;
  }

 private:
  friend class ::tbb::tick_count;
  static_assert(std::is_same_v<period, std::nano>);
  tick_interval(long long nanoseconds, int) noexcept : duration(nanoseconds) {}
};

}  // namespace v1
}  // namespace ashlar
#endif

namespace tbb {

/// A moment on the steady clock: it never jumps, and its zero has no meaning. A default-constructed one is the
/// clock's zero. Reading it costs some 20 ns on Linux. Any thread may compare the moments of any other.
class tick_count {
 public:
#if !ASHLAR_LEAN_HEADERS && !ASHLAR_CLASSIC_DIALECT
  using clock_type = std::chrono::steady_clock;
  using interval_t = ::ashlar::tick_interval;
#else
  /// The time between two moments, to the nanosecond; +-292 years.
  class interval_t {
   public:
    interval_t() noexcept = default;
    explicit interval_t(double seconds) noexcept : nanoseconds_(static_cast<long long>(seconds * 1e9)) {}

    double seconds() const noexcept { return static_cast<double>(nanoseconds_) * 1e-9; }

    interval_t& operator+=(interval_t const& other) noexcept {
      nanoseconds_ += other.nanoseconds_;
      return *this;
    }
    interval_t& operator-=(interval_t const& other) noexcept {
      nanoseconds_ -= other.nanoseconds_;
      return *this;
    }
    friend interval_t operator+(interval_t const& a, interval_t const& b) noexcept { return interval_t(a) += b; }
    friend interval_t operator-(interval_t const& a, interval_t const& b) noexcept { return interval_t(a) -= b; }
    friend bool operator==(interval_t const& a, interval_t const& b) noexcept {
      return a.nanoseconds_ == b.nanoseconds_;
    }
    friend bool operator!=(interval_t const& a, interval_t const& b) noexcept { return !(a == b); }
    friend bool operator<(interval_t const& a, interval_t const& b) noexcept { return a.nanoseconds_ < b.nanoseconds_; }
    friend bool operator>(interval_t const& a, interval_t const& b) noexcept { return b < a; }
    friend bool operator<=(interval_t const& a, interval_t const& b) noexcept { return !(b < a); }
    friend bool operator>=(interval_t const& a, interval_t const& b) noexcept { return !(a < b); }

   private:
    friend class tick_count;
    interval_t(long long nanoseconds, int) noexcept : nanoseconds_(nanoseconds) {}

    long long nanoseconds_ = 0;
  };
#endif

  tick_count() noexcept = default;

  static tick_count now() noexcept {
    tick_count result;
    result.nanoseconds_ = static_cast<long long>(::ashlar::os::monotonic_ns());
    return result;
  }

  /// The length of one tick in seconds.
  static double resolution() noexcept { return 1e-9; }

  /// A template, so that the linker's name tells the kind of interval.
  template <typename Interval = interval_t>
  friend Interval operator-(tick_count const& later, tick_count const& earlier) noexcept {
    return later.since<Interval>(earlier);
  }

 private:
  template <typename Interval>
  Interval since(tick_count const& earlier) const noexcept {
    return Interval(nanoseconds_ - earlier.nanoseconds_, 0);
  }

  long long nanoseconds_ = 0;
};

}  // namespace tbb

#include <tbb/detail/closure/stddef.h>
#if !ASHLAR_LEAN_HEADERS
#if ASHLAR_CLASSIC_DIALECT
#include <ctime>
#else
#include <chrono>
#endif
#endif
