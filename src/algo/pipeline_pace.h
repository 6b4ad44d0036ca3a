// SPDX-License-Identifier: Apache-2.0
// Whether a pipeline's tokens are worth a second thread. One thread carries tokens of less work than three thefts take.
// Tokens of a small loop's work (`small_loop`) or more are always shared. For others both ways are tried; they stay
// shared as long as they leave faster than one thread can run their bodies. Pure: time and numbers come from outside.
//
// Threads    one at a time: the one that has the right to run the input stage.
#pragma once

#include <ashlar/os/tuning.h>
#include <ashlar/sched/policy/faster_way.h>

#include <cstdint>

namespace ashlar::inline v1::algo {

class token_pace {
 public:
  explicit token_pace(os::tuning const& tuned = os::tuned) noexcept : tuned_(tuned) {}

  // Is it time for judge()? `number`: of the token that is made next.
  bool due(std::uint64_t number) const noexcept { return number >= judged_at_; }
  // What a token took since judge() let one thread go on alone, if it has made as many tokens as a period has; else 0.
  std::uint64_t ticks_per_token(std::uint64_t number, std::uint64_t now) const noexcept {
    return alone_ && number - over_ == period ? (now - begun_) / period : 0;
  }
  // Tokens of so little work are never shared.
  bool is_short(std::uint64_t work) const noexcept { return work < tuned_.ticks_of_ns(3 * os::theft_ns); }
  // Does one thread go on alone? `on_their_way`: of the tokens that were made, so many are not over. When the way
  // changes, they belong to the period that begins. `work`: the ticks that a token's bodies take, 0 if no token has
  // left yet; `now` in ticks.
  bool judge(std::uint64_t number, std::uint64_t on_their_way, std::uint64_t work, std::uint64_t now) noexcept {
    std::uint64_t const over = number > on_their_way ? number - on_their_way : 0;
    std::uint64_t const tokens = over > over_ ? over - over_ : 0, took = now - begun_;
    // Of a period whose way was no choice nothing is told, nor of one that can't have been faster alone.
    if (chosen_ && tokens != 0 && (alone_ || took >= work * tokens)) way_.end_period(tokens, took);
    over_ = over;
    begun_ = now;
    judged_at_ = number + (work == 0 ? 1 : period);
    chosen_ = !is_short(work) && work < tuned_.small_loop;
    alone_ = is_short(work) || (chosen_ && way_.is_second());
    return alone_;
  }

 private:
  static constexpr std::uint64_t period = 64;  // tokens

  os::tuning const& tuned_;
  sched::faster_way way_;  // the second way: one thread
  bool alone_ = true;
  bool chosen_ = false;  // the present period's way is way_'s, not that of short or long tokens
  std::uint64_t judged_at_ = 0;
  std::uint64_t over_ = 0;  // tokens, when the present period began
  std::uint64_t begun_ = 0;
};

}  // namespace ashlar::inline v1::algo
