// SPDX-License-Identifier: Apache-2.0
// Whether a thief that is awake takes part in small loops, whose jobs are reserved for their owner (decision record 6).
// It tries: for some microseconds it counts the loops that the owner begins alone, then as many while it helps, and
// goes on as long as there are more of them. That tells what nothing else does, because the price of a theft depends on
// how far the two processors are from each other, and what it is worth on the loop. Pure: time and counts come from
// outside.
#pragma once

#include <ashlar/os/tuning.h>

#include <algorithm>
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
    if (owner != owner_ || now - seen_ > tuned_.trial_break) {
      owner_ = owner;
      if (state_ == state::helps) state_ = state::watches;
      if (state_ == state::watches) begin(state::watches, loops(), now);
      good_ = 0;
    }
    seen_ = now;
    switch (state_) {
      case state::rests:
        if (now < rests_until_) return false;
        begin(state::watches, loops(), now);
        return false;
      case state::watches:
        if (now - begun_ < tuned_.trial_window) return false;
        return end_watch(loops(), now);
      case state::helps:
        break;
    }
    if (now - begun_ < tuned_.trial_window) return true;
    judge(loops(), now);
    return state_ == state::helps;
  }

  bool helping() const noexcept { return state_ == state::helps; }
  // Is it time for another trial?
  bool due(std::uint64_t now) const noexcept { return state_ != state::rests || now >= rests_until_; }

 private:
  enum class state : unsigned char { watches, helps, rests };
  struct pace {
    std::uint64_t loops, ticks;
  };

  void begin(state what, std::uint32_t loops, std::uint64_t now) noexcept {
    state_ = what;
    first_ = loops;
    begun_ = now;
  }

  bool end_watch(std::uint32_t loops, std::uint64_t now) noexcept {
    alone_ = {loops - first_, now - begun_};
    // Too few are not worth a thread's time.
    bool const enough = alone_.loops >= fewest;
    begin(enough ? state::helps : state::watches, loops, now);
    return enough;
  }

  void judge(std::uint32_t loops, std::uint64_t now) noexcept {
    pace const helped{loops - first_, now - begun_};
    // A second thread is to save an eighth of the time.
    if (helped.loops * alone_.ticks * 8 > alone_.loops * helped.ticks * 9) {
      useless_ = 0;
      bool const sure = ++good_ > 1;
      if (sure) rest_ = tuned_.trial_rest;
      // The owner may have been preempted while it was watched; later, what a loop takes alone may have changed.
      return begin(!sure || good_ % windows_per_watch == 0 ? state::watches : state::helps, loops, now);
    }
    good_ = 0;
    // The first failure may be an accident: the thief helps once more. Then it watches again, because the loop alone
    // may have become faster.
    if (++useless_ < useless_borne) return begin(useless_ == 1 ? state::helps : state::watches, loops, now);
    useless_ = 0;
    rests_until_ = now + rest_;
    rest_ = std::min(2 * rest_, tuned_.trial_longest_rest);
    begin(state::rests, loops, now);
  }

  static constexpr std::uint64_t fewest = 2;
  static constexpr unsigned useless_borne = 3;
  static constexpr unsigned windows_per_watch = 64;

  os::tuning const& tuned_;
  void const* owner_ = nullptr;
  std::uint64_t seen_ = 0;
  std::uint64_t begun_ = 0;
  std::uint32_t first_ = 0;  // the owner's loops then
  pace alone_{0, 1};
  state state_ = state::watches;
  unsigned useless_ = 0;
  unsigned good_ = 0;  // windows in a row in which help paid
  std::uint64_t rest_ = tuned_.trial_rest;
  std::uint64_t rests_until_ = 0;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
