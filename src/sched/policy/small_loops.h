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
  explicit small_loop_trial(os::tuning const& tuned = os::tuned) noexcept : period_(2 * tuned.small_loop) {}

  // The thief sees a reserved job of `owner`, who has begun `loops` small loops so far. Shall it take the job?
  // `now` in clock ticks.
  template <typename Count>
  bool take(void const* owner, Count loops, std::uint64_t now) noexcept {
    std::uint64_t const took = now - begun_;
    if (owner == owner_ && took < period_) return way_.is_second();
    std::uint32_t const all = loops();
    // Where a period lasted for long, one of the two had something else to do.
    std::uint32_t const begun = owner == owner_ && took < 2 * period_ ? all - first_ : 0;
    begun < fewest ? way_.forget(took / period_) : way_.end_period(begun, took);
    owner_ = owner;
    first_ = all;
    begun_ = now;
    return way_.is_second();
  }

  bool helping() const noexcept { return way_.is_second(); }

 private:
  static constexpr std::uint32_t fewest = 2;

  std::uint64_t const period_;  // long enough to count two loops of the longest kind
  faster_way way_;              // the second way: the thief helps
  void const* owner_ = nullptr;
  std::uint64_t begun_ = 0;
  std::uint32_t first_ = 0;  // the owner's loops then
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
