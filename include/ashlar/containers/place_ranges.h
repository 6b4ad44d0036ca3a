// SPDX-License-Identifier: Apache-2.0
// The places of an array that were claimed and have no element, because its constructor threw. There are few of them.
//
// Threads: add() beside itself; the rest as said.
#pragma once

#include <ashlar/base/atomic.h>
#include <ashlar/sync/spin_mutex.h>

#include <cstddef>
#include <new>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace containers {

class place_ranges {
 public:
  constexpr place_ranges() noexcept = default;
  place_ranges(place_ranges const&) = delete;
  place_ranges& operator=(place_ranges const&) = delete;
  ~place_ranges() { drop_from(0); }

  /// Adds places [first, last), which are not in it. Without memory they are not remembered. Takes time for each range
  /// with higher places.
  ASHLAR_NOINLINE ASHLAR_COLD void add(std::size_t first, std::size_t last) noexcept {
    range* const r = new (std::nothrow) range{first, last, nullptr};
    if (r == nullptr || first == last) {
      delete r;
      return;
    }
    ::tbb::spin_mutex::scoped_lock const hold(lock_);
    range** at = &highest_;
    while (*at != nullptr && (*at)->first > first) at = &(*at)->lower;
    r->lower = std::exchange(*at, r);
  }

  // ---- not beside add()

  /// f(from, to) for each longest part of [first, last) that has none of the places, the last part first.
  template <typename F>
  void each_outside(std::size_t first, std::size_t last, F const& f) const {
    for (range const* r = highest_; r != nullptr && r->last > first && first < last; r = r->lower) {
      if (r->first >= last) continue;
      if (r->last < last) f(r->last, last);
      last = r->first;
    }
    if (first < last) f(first, last);
  }

  // ---- not beside anything

  /// Forgets places from `keep` on.
  void drop_from(std::size_t keep) noexcept {
    for (range* r; (r = highest_) != nullptr && r->last > keep;) {
      if (r->first < keep) {
        r->last = keep;
        return;
      }
      highest_ = r->lower;
      delete r;
    }
  }
  void swap(place_ranges& other) noexcept { std::swap(highest_, other.highest_); }

 private:
  struct range {
    std::size_t first;
    std::size_t last;
    range* lower;
  };

  range* highest_ = nullptr;
  ::tbb::spin_mutex lock_;
};

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
