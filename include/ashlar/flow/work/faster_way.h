// SPDX-License-Identifier: Apache-2.0
// Which of two ways to do the same again and again takes less time, found by trying both.
//
// Threads    one at a time.
#pragma once

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace flow {

class faster_way {
 public:
  /// Which way to take now.
  bool is_second() const noexcept { return second_; }
  /// The work was done once more in that way, and took so many ticks. From time to time the other way is tried, and
  /// becomes the settled one if it takes less time. Each trial without success doubles the time until the next one.
  void add(std::uint64_t ticks) noexcept {
    sum_ += ticks;
    if (--left_ == 0) end_period();
  }

 private:
  static constexpr std::uint8_t in_period = 16;
  static constexpr std::uint8_t longest_interval = 64;  // in periods

  void end_period() noexcept {
    left_ = in_period;
    std::uint64_t const took = sum_;
    sum_ = 0;
    if (!on_trial_) {
      settled_ = took;
      if (--until_trial_ == 0) change(true);
    } else if (took < settled_) {
      settled_ = took;
      on_trial_ = false;
      until_trial_ = interval_ = 1;
    } else {
      if (interval_ < longest_interval) interval_ *= 2;
      until_trial_ = interval_;
      change(false);
    }
  }
  void change(bool trial) noexcept {
    on_trial_ = trial;
    second_ = !second_;
  }

  std::uint64_t sum_ = 0;      // of this period
  std::uint64_t settled_ = 0;  // a period of the way that is not on trial
  std::uint8_t left_ = in_period;
  std::uint8_t interval_ = 1;
  std::uint8_t until_trial_ = 1;  // periods
  bool second_ = false;
  bool on_trial_ = false;
};

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
