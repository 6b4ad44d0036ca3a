// SPDX-License-Identifier: Apache-2.0
// Whether a thief that is awake takes part in small loops, whose jobs are reserved for their owner (decision record 6):
// it counts the loops that the owner begins, alone and with its help. Pure: time and counts come from outside.
#pragma once

#include <ashlar/os/tuning.h>
#include <ashlar/sched/policy/faster_way.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

class small_loop_trial {
 public:
  explicit small_loop_trial(os::tuning const& tuned = os::tuned) noexcept : tuned_(tuned) {}

  // The thief sees a reserved job of `owner`, who has begun `loops` small loops so far. Shall it take the job?
  // `now` in clock ticks.
  template <typename Count>
  bool take(void const* owner, Count loops, std::uint64_t now) noexcept {
    std::uint64_t const took = now - begun_, period = this->period();
    if (owner == owner_ && took < period) return way_.is_second();
    std::uint32_t const all = loops();
    // Where a period lasts for longer than until the next small loop, one of the two had something else to do.
    bool const goes_on = owner == owner_ && took < period + tuned_.small_loop;
    if (goes_on && !is_next_seen(all)) return way_.is_second();
    std::uint32_t const begun = goes_on ? all - first_ : 0;
    begun < fewest ? way_.forget(took / period) : way_.end_period(begun, took);
    owner_ = owner;
    first_ = last_ = all;
    begun_ = now;
    return way_.is_second();
  }

  bool helping() const noexcept { return way_.is_second(); }
  // Shall a sleeping thief look at small loops again: does help pay, or is it time for another trial? What it costs to
  // get up for one is to be a 64th of the time.
  bool due(std::uint64_t now) const noexcept {
    std::uint64_t const since = now - begun_;
    bool const rested = since >= tuned_.ticks_of_us(64 * os::wake_up_us);
    return way_.is_second_settled() || (rested && since / period() + 1 >= way_.periods_until_trial());
  }

 private:
  static constexpr std::uint32_t fewest = 2;

  // A period ends where a loop begins, as the next one does then: otherwise two or three loops of 8 us were counted.
  bool is_next_seen(std::uint32_t all) noexcept {
    if (last_ == first_) last_ = all;
    return last_ != all;
  }

  // Long enough to count two loops of the longest kind. Computed when it is needed: the rate of the counter may become
  // known later than the thread that has the trial.
  std::uint64_t period() const noexcept { return 2 * tuned_.small_loop; }

  os::tuning const& tuned_;
  faster_way way_;  // the second way: the thief helps
  void const* owner_ = nullptr;
  std::uint64_t begun_ = 0;
  std::uint32_t first_ = 0;  // the owner's loops then
  std::uint32_t last_ = 0;   // when the period was long enough
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
