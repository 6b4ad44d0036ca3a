// SPDX-License-Identifier: Apache-2.0
// How many workers there is a processor for: what busy application threads leave, and what the system has taken away.
// Work that is refused for want of processors is not forgotten: the watchdog looks after it, and visits it now and
// then. README.md, 'Busy application threads' and 'A changed quota or affinity'.
//
// Threads    under the market's lock but for what is said.
#pragma once

#include "sched/market/allotment.h"
#include "sched/policy/occupancy.h"

namespace ashlar {
inline namespace v1 {
namespace sched {

class load {
 public:
  // Workers that may be active now: the limit, less those for which there is no processor.
  unsigned places(unsigned limit) const noexcept;
  bool holds_back(unsigned limit) const noexcept { return places(limit) < limit; }

  // An application thread ends.
  void dismiss(occupancy::thread& t) noexcept { threads_.dismiss(t); }
  // After a fork: only this one is left (null: none).
  void survive(occupancy::thread* t) noexcept;
  // An application thread that calls somebody is at work itself: from its first call on its processor time is measured.
  void count_caller(occupancy::thread& t) noexcept;
  // Is it time to measure? Any thread.
  bool due(occupancy::observer by) const noexcept;
  // True if `places` may have changed.
  bool measure(occupancy::observer by) noexcept;

  // Of the processors at the start `now` are left. True if that is new.
  bool set_processors(unsigned now) noexcept;
  bool short_of_processors() const noexcept { return withdrawn_ != 0; }

  // Calls are refused for want of processors; the answer is for whoever ends the watchdog's duty, once.
  void mark_refusal() noexcept { refused_ = true; }
  bool take_refusals() noexcept;

  // Lets one worker go to refused work all the same, for one job.
  void grant_visit() noexcept;
  void end_visit() noexcept { visit_ = false; }
  // The arena to visit: the one with work whose last visit is longest ago. Null if no visit is granted, or none has
  // work.
  arena* to_visit(allotment const& arenas) noexcept;

 private:
  static constexpr unsigned visits_beyond_quota = 16;  // one of so many is granted

  occupancy threads_;
  unsigned withdrawn_ = 0;  // processors that the system has taken away since the start
  bool refused_ = false;
  bool visit_ = false;
  std::uint64_t visits_ = 0;
  unsigned visits_refused_ = 0;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
