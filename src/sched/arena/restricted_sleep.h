// SPDX-License-Identifier: Apache-2.0
// How a thread sleeps that may take some jobs only. README.md, 'Parking'.
#pragma once

#include "sched/park/parking.h"

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

// A thread that may take some jobs only is not called for each of them: it looks again after 1, 2, … 64 ms, and after 4
// ms at most if its wait is to be short.
class restricted_sleep {
 public:
  static constexpr std::uint64_t shortest = 1'000'000;  // nanoseconds
  static constexpr std::uint64_t longest_of_own = 4'000'000;
  static constexpr std::uint64_t longest = 64'000'000;

  explicit restricted_sleep(bool own_tasks_only) noexcept : longest_(own_tasks_only ? longest_of_own : longest) {}
  std::uint64_t length() const noexcept { return interval_; }
  // False if the time was over first, and the sleeper is in the parking lot no more.
  bool operator()(sleeper& own) noexcept {
    if (own.sleep(interval_)) return true;
    if (interval_ < longest_) interval_ *= 2;
    return !parking_lot::get().leave(own);
  }

 private:
  std::uint64_t const longest_;
  std::uint64_t interval_ = shortest;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
