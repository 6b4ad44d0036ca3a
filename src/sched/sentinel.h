// SPDX-License-Identifier: Apache-2.0
// The sentinel: a parked worker that wakes now and then as long as small loops keep their jobs reserved (decision
// record 6), so that a job is never left to its owner for good. README.md, 'Reserved jobs'.
//
// Ordering   [E1] going on or off duty, heavy fence, rescan <-> [E2] slot::offer: push, light fence, sentinel read
#pragma once

#include "os/membarrier.h"
#include "sched/market.h"

namespace ashlar {
inline namespace v1 {
namespace sched {

class sentinel_watch {
 public:
  explicit sentinel_watch(market& m) noexcept : market_(m), on_duty_(!m.sentinel.exchange(true, mo::seq_cst)) {  // [E1]
    if (on_duty_) seen_ = m.offers();
  }
  ~sentinel_watch() {
    if (on_duty_) market_.sentinel.store(false, mo::seq_cst);  // [E1]
  }
  sentinel_watch(sentinel_watch const&) = delete;
  sentinel_watch& operator=(sentinel_watch const&) = delete;

  // Jobs were reserved since the last look.
  bool missed() const noexcept { return on_duty_ && market_.offers() != seen_; }

  // How long to sleep; 0: until woken.
  std::uint64_t timeout() const noexcept { return on_duty_ ? interval_ : 0; }

  // After a timeout: true if there is work to look at. Goes off duty when no job was reserved since the last look.
  bool look() noexcept {
    if (market_.work_for_a_worker()) return true;
    std::uint32_t const now = market_.offers();
    if (now == seen_) {
      market_.sentinel.store(false, mo::seq_cst);  // [E1]
      on_duty_ = false;
      os::heavy_fence();  // [E1]
      return market_.work_for_a_worker();
    }
    seen_ = now;
    if (interval_ < longest) interval_ *= 2;
    return false;
  }

 private:
  static constexpr std::uint64_t shortest = 1'000'000;  // nanoseconds
  static constexpr std::uint64_t longest = 64'000'000;

  market& market_;
  bool on_duty_;
  std::uint32_t seen_ = 0;
  std::uint64_t interval_ = shortest;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
