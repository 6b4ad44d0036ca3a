// SPDX-License-Identifier: Apache-2.0
// Whether a thread's last thefts were worth it, and how long it pauses if they were not. A theft costs the victim, who
// waits for the cache lines that the thief has taken, more than a tiny job is worth; a failed theft, of a job that the
// victim has taken back meanwhile, costs as much. Pure: the time comes from outside.
#pragma once

#include <ashlar/os/tuning.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace sched {

class theft_memory {
 public:
  explicit theft_memory(os::tuning const& tuned = os::tuned) noexcept : tuned_(tuned) {}

  // The thread has stolen a job, its victim's only one or one of several. `now` in clock ticks.
  void stolen(std::uint64_t now, bool only_job) noexcept {
    since_ = now;
    only_job_ = only_job;
  }
  // The thread looks for work again, so it is done with the job and all that this made it do. False if its last job was
  // not stolen.
  bool done(std::uint64_t now) noexcept {
    if (since_ == 0) return false;
    std::uint64_t const took = now - std::exchange(since_, 0);
    if (took < tuned_.ticks_of_ns(only_job_ ? os::tiny_only_job_ns : os::tiny_job_ns)) {
      failed();
    } else {
      unprofitable_ /= 2;
    }
    return true;
  }
  // The job was gone when the thread came.
  void failed() noexcept { unprofitable_ = std::min(unprofitable_ + 1, borne + os::longest_theft_pause_ns / step_ns); }

  bool all_worth_it() const noexcept { return unprofitable_ == 0; }
  // The last jobs of a tree are tiny, too, so the first few cause no pause.
  unsigned pause_ns() const noexcept { return unprofitable_ <= borne ? 0 : (unprofitable_ - borne) * step_ns; }

 private:
  static constexpr unsigned borne = 4;
  static constexpr unsigned step_ns = 50;

  os::tuning const& tuned_;
  std::uint64_t since_ = 0;
  bool only_job_ = false;
  unsigned unprofitable_ = 0;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
