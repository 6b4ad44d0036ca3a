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
  // In nanoseconds. With pauses of 2, 5 and 10 us parallel_invoke of 2 x 0.2 us took 700, 570 and 550 ns (1000 without
  // pauses for only jobs). The pause of a thread that waits for something delays the end of its wait.
  static constexpr auto longest_pause_ns = static_cast<unsigned>(25 * os::theft_ns);
  static constexpr auto longest_pause_of_waiter_ns = static_cast<unsigned>(10 * os::theft_ns);

  explicit theft_memory(os::tuning const& tuned = os::tuned) noexcept : tuned_(tuned) {}

  // The thread has stolen a job, its victim's only one or one of several. `now` in clock ticks.
  void stolen(std::uint64_t now, bool only_job) noexcept {
    since_ = now;
    only_job_ = only_job;
  }
  // The thread looks for work again, so it is done with the job and all that this made it do. False if its last job was
  // not stolen. An only job has to take longer: its victim has nothing to do meanwhile but to wait for the thief.
  bool done(std::uint64_t now) noexcept {
    if (since_ == 0) return false;
    std::uint64_t const took = now - std::exchange(since_, 0);
    if (took < tuned_.ticks_of_ns(only_job_ ? 5 * os::theft_ns : os::theft_ns)) {
      failed();
    } else {
      unprofitable_ /= 2;
    }
    return true;
  }
  // The job was gone when the thread came.
  void failed() noexcept { unprofitable_ = std::min(unprofitable_ + 1, borne + longest_pause_ns / step_ns); }

  // The last jobs of a tree are tiny, too, so the first few cause no pause.
  unsigned pause_ns() const noexcept { return unprofitable_ <= borne ? 0 : (unprofitable_ - borne) * step_ns; }

 private:
  static constexpr unsigned borne = 4;
  static constexpr auto step_ns = static_cast<unsigned>(os::theft_ns / 4);

  os::tuning const& tuned_;
  std::uint64_t since_ = 0;
  bool only_job_ = false;
  unsigned unprofitable_ = 0;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
