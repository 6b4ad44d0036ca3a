// SPDX-License-Identifier: Apache-2.0
// Whether a pipeline's tokens are worth a second thread. One thread carries tokens of less work than a theft takes.
// Longer ones are shared for some tokens: if they leave no faster than one thread would carry them, one thread goes on
// alone, and they are shared again after a while, which becomes longer each time without gain. That tells what nothing
// else does, because what it costs to hand a token over depends on how far the two processors are from each other.
// Tokens that take as long as it takes to wake a thread are always shared. Pure: time and numbers come from outside.
//
// Threads    one at a time: the one that has the right to run the input stage.
#pragma once

#include <ashlar/os/tuning.h>

#include <algorithm>
#include <cstdint>

namespace ashlar::inline v1::algo {

class token_pace {
 public:
  explicit token_pace(os::tuning const& tuned = os::tuned) noexcept : tuned_(tuned) {}

  // Is it time for judge()? `number`: of the token that is made next.
  bool due(std::uint64_t number) const noexcept { return number >= judged_at_; }
  // Does one thread go on alone? `work`: the ticks that a token's bodies take, 0 if no token has left yet; `now` in
  // ticks.
  bool judge(std::uint64_t number, std::uint64_t work, std::uint64_t now) noexcept {
    std::uint64_t const tokens = number - first_;
    std::uint64_t const took = tokens != 0 ? (now - begun_) / tokens : 0;
    if (work < tuned_.short_pass) return begin(true, work == 0 ? 1 : window, number, now);
    if (work >= tuned_.small_loop) return begin(false, window, number, now);
    if (alone_) {
      if (tokens >= window) overhead_ = std::max(took, work) - work;
      return begin(false, window, number, now);
    }
    if (took < work + overhead_) {
      rest_ = shortest_rest;
      no_faster_ = 0;
      return begin(false, window, number, now);
    }
    // The first time the other threads may have come only during it, and a thread may have lost its processor.
    if (++no_faster_ < borne) return begin(false, window, number, now);
    no_faster_ = 0;
    std::uint64_t const rest = rest_;
    rest_ = std::min(2 * rest_, longest_rest);
    return begin(true, rest, number, now);
  }

 private:
  bool begin(bool alone, std::uint64_t tokens, std::uint64_t number, std::uint64_t now) noexcept {
    alone_ = alone;
    first_ = number;
    begun_ = now;
    judged_at_ = number + tokens;
    return alone;
  }

  static constexpr unsigned borne = 2;
  // In tokens: the trials take an eighth of the first rest.
  static constexpr std::uint64_t window = 64, shortest_rest = 1024, longest_rest = 65536;

  os::tuning const& tuned_;
  bool alone_ = true;
  std::uint64_t judged_at_ = 1;
  std::uint64_t first_ = 0;
  std::uint64_t begun_ = 0;
  std::uint64_t overhead_ = 0;  // of a token that one thread carries alone, beside its work
  std::uint64_t rest_ = shortest_rest;
  unsigned no_faster_ = 0;  // windows in a row in which tokens left no faster
};

}  // namespace ashlar::inline v1::algo
