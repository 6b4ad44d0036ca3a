// SPDX-License-Identifier: Apache-2.0
// The watchdog: a parked worker that wakes now and then as long as small loops keep their jobs reserved (decision
// record 6), so that a job is never left to its owner for good, and as long as work is left to busy application
// threads. README.md, 'Reserved jobs' and 'Busy application threads'.
//
// Ordering   [E1] going on or off duty, heavy fence, rescan <-> [E2] slot::offer: push, light fence, watchdog read
#pragma once

#include "os/clock.h"
#include "sched/market/market.h"
#include "sched/policy/small_loops.h"

namespace ashlar {
inline namespace v1 {
namespace sched {

class watchdog {
 public:
  watchdog(market& m, small_loop_trial const& trial) noexcept
      : market_(m), trial_(trial), on_duty_(m.duty().take()) {}  // [E1]
  ~watchdog() { end(); }
  watchdog(watchdog const&) = delete;
  watchdog& operator=(watchdog const&) = delete;

  // Goes off duty, because the thread goes to work. True if another thread has to look around and go on duty: there is
  // work that is left to busy threads, or that nobody was called for.
  bool end() noexcept {
    if (!on_duty_ && !ask_again_) return false;
    bool const ask_again = on_duty_ ? market_.end_watch() : ask_again_;  // [E1]
    on_duty_ = ask_again_ = false;
    market::outlook const now = market_.look_for_work();
    return now == market::outlook::refused || (ask_again && now == market::outlook::open);
  }

  // How long to sleep.
  std::uint64_t timeout() const noexcept { return on_duty_ ? interval_ : sync::wait_forever; }

  // After a timeout: true if there is work to look at. Goes off duty when no job was reserved since the last look and
  // none is left to busy threads.
  bool look() noexcept {
    market_.measure_load(occupancy::observer::asleep);
    std::uint32_t const offers = market_.look_at_offers();
    market::outlook const first = market_.look_for_work();
    if (first == market::outlook::open) return true;
    if (first == market::outlook::refused) return patience_over();
    if (offers == 0) {
      market_.duty().reset_refusals();
      if (!market_.end_idle_watch()) return market_.look_for_work() == market::outlook::open;
      on_duty_ = false;
      market::outlook const second = market_.look_for_work();
      ask_again_ = second == market::outlook::open;
      return ask_again_ || (second == market::outlook::refused && !go_on());
    }
    bool const dense = offers * sparse >= interval_;
    if (interval_ < longest) interval_ *= 2;
    return dense && trial_.due(os::ticks()) && catch_one();
  }

 private:
  // Small loops follow each other: waits for a moment at which the next one's job lies there.
  bool catch_one() noexcept {
    for (int i = 0; i < 32; ++i) {
      if (market_.look_for_work() == market::outlook::open) return true;
      for (int k = 0; k < 8; ++k) cpu_pause();
    }
    return false;
  }
  // False if the thread can't sleep on: it sleeps without a time-out only if another one is on duty.
  bool go_on() noexcept {
    on_duty_ = market_.duty().take();  // [E1]
    interval_ = shortest;
    return on_duty_;
  }
  // Work that waits for busy threads is visited now and then: they may do nothing but wait for it.
  bool patience_over() noexcept {
    unsigned const refusals = market_.duty().count_refusal();
    interval_ = refusals < quick_looks ? shortest : 2 * shortest;
    if (refusals % looks_per_visit != 0) return false;
    market_.grant_visit();
    return true;
  }

  static constexpr unsigned quick_looks = 4;
  static constexpr unsigned looks_per_visit = 4;
  static constexpr auto shortest = static_cast<std::uint64_t>(2000 * os::short_pause_us);  // nanoseconds
  static constexpr std::uint64_t longest = 64 * shortest;
  // Between small loops: nobody need be awake for them.
  static constexpr auto sparse = static_cast<std::uint64_t>(1000 * os::wake_up_us);  // nanoseconds

  market& market_;
  small_loop_trial const& trial_;
  bool on_duty_;
  bool ask_again_ = false;  // arenas ask for workers again, and there was work for more than this one perhaps
  std::uint64_t interval_ = shortest;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
