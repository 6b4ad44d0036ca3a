// SPDX-License-Identifier: Apache-2.0
// A thread that sleeps in a wait keeps its place among the threads that are allowed for a while only: then it rests,
// and somebody else may work in its stead until it goes on. README.md, 'Progress'.
//
// Threads    the thread itself.
#pragma once

#include "sched/core/thread_data.h"

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

// How long a sleeping thread keeps its place, in nanoseconds.
std::uint64_t place_kept_ns() noexcept;

// Of a thread, whichever of its stacks it is on.
class rest {
 public:
  explicit rest(thread_data& t) noexcept : thread_(t), state_(t.repose) {}

  // Sleeps until somebody wakes the thread, and looks now and then for work that nobody else could come for.
  void sleep() noexcept;
  // After a sleep of another kind, which nobody has ended.
  void has_slept(std::uint64_t nanoseconds) noexcept;
  // The thread goes on.
  void end() noexcept {
    state_.slept = 0;
    if (ASHLAR_UNLIKELY(begun())) give_up();
  }

 private:
  bool begun() const noexcept { return state_.begun.load(mo::relaxed); }
  void look() noexcept;
  void give_up() noexcept;

  thread_data& thread_;
  rest_state& state_;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
