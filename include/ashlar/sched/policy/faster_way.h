// SPDX-License-Identifier: Apache-2.0
// Which of two ways to do the same again and again takes less time, found by trying both: whether a second thread takes
// part or not. Nothing else tells, because what a theft costs depends on how far the two processors are from each other
// at the moment, and what it brings on the program. Pure: time and counts come from outside, so that the simulator
// compiles the same file.
//
// Threads    one at a time.
#pragma once

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

class faster_way {
 public:
  /// Which way to take now. The first one is settled in the beginning.
  bool is_second() const noexcept { return second_; }
  /// The second way was the faster one when both were tried last.
  bool is_second_settled() const noexcept { return second_ != on_trial_; }
  /// So many periods end, the one that goes on included, before the way that is not settled is tried.
  std::uint64_t periods_until_trial() const noexcept { return on_trial_ ? 0 : until_trial_; }
  /// A period is over, in which so many units of work were done in so many ticks; neither is 0. After some periods the
  /// other way is tried for one. The second way becomes the settled one if it saves an eighth of the time for a unit,
  /// which is more than errors of measurement; the first one, which is what the user prefers where both are level, if
  /// it is no slower. A trial without success makes the next one wait for as many periods as make what it costs a 64th,
  /// and sixteen more, but no more than twice as many as before the last one: a thread may have lost its processor.
  void end_period(std::uint64_t units, std::uint64_t ticks) noexcept {
    std::uint64_t const took = (ticks << fraction_bits) / units + 1;  // not 0, as in a model
    if (!on_trial_) {
      settled_ = took;
      if (--until_trial_ == 0) change(true);
    } else if (second_ ? took < settled_ - settled_ / 8 : took <= settled_) {
      settled_ = took;
      on_trial_ = false;
      until_trial_ = interval_ = 1;
    } else {
      std::uint64_t const lost = took > settled_ ? took - settled_ : 0;
      std::uint64_t const enough = price_of_trials * lost / settled_ + fewest_periods;
      std::uint64_t const most = interval_ < most_periods / 2 ? 2U * interval_ : most_periods;
      until_trial_ = interval_ = static_cast<std::uint16_t>(enough < most ? enough : most);
      change(false);
    }
  }
  /// Nothing was measured for the time of so many periods, and what was measured before tells nothing any more: the
  /// first way is settled again. How rarely the other one is tried stays.
  void forget(std::uint64_t periods) noexcept {
    second_ = on_trial_ = false;
    until_trial_ = static_cast<std::uint16_t>(periods < until_trial_ ? until_trial_ - periods : 1);
  }

 private:
  static constexpr unsigned fraction_bits = 8;
  static constexpr std::uint64_t price_of_trials = 64;
  static constexpr std::uint64_t fewest_periods = 16;  // where trials cost nothing but the other thread's time
  static constexpr std::uint64_t most_periods = 1 << 14;

  void change(bool trial) noexcept {
    on_trial_ = trial;
    second_ = !second_;
  }

  std::uint64_t settled_ = 0;  // ticks of a unit in the way that is not on trial, times 2^fraction_bits
  std::uint16_t interval_ = 1;
  std::uint16_t until_trial_ = 1;  // periods
  bool second_ = false;
  bool on_trial_ = false;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
