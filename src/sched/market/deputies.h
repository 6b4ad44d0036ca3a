// SPDX-License-Identifier: Apache-2.0
// Deputies: workers beyond the limit, for work that nobody else can come for, because all workers that are allowed
// sleep in waits. README.md, 'Progress'.
//
// Threads    under the market's lock.
#pragma once

#include "sched/market/allotment.h"
#include "sched/market/membership.h"

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

class deputies {
 public:
  // Workers that sleep in waits for long keep their places, but count no more as threads that work.
  void begin_rest() noexcept { ++resting_; }
  void end_rest() noexcept { --resting_; }
  // Whether each of so many workers that have places rests.
  bool all_rest(unsigned active) const noexcept { return active <= resting_; }

  // An arena with work that no thread is there to do; null: there is none. `soon`: there may be one in a moment.
  static arena* stranded(membership const& arenas, std::uint64_t now, bool& soon) noexcept;
  // Whether an application thread is at work in the arena. Such a thread does what lies there, and nobody else may be
  // at work beside it if the program has allowed one thread.
  static bool has_application_at_work(arena& a) noexcept;

  // A worker is on its way to the arena as a deputy, or was asked to go there.
  bool is_sent() const noexcept { return next_ != nullptr; }
  void send(arena& a) noexcept { next_ = &a; }
  // The arena that the calling worker is to go to, or null.
  arena* take() noexcept;
  void forget(arena const& a) noexcept;
  // After a fork.
  void forget_threads() noexcept;

 private:
  unsigned resting_ = 0;
  arena* next_ = nullptr;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
