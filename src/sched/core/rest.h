// SPDX-License-Identifier: Apache-2.0
// A thread that sleeps in a wait keeps its place among the threads that are allowed for a while only: then it rests, and
// somebody else may work in its stead until it goes on. README.md, 'Progress'.
//
// Threads    the thread whose data it is part of; `begun` any.
#pragma once

#include <ashlar/base/atomic.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

class thread_data;

// How long a sleeping thread keeps its place, in nanoseconds.
std::uint64_t place_kept_ns() noexcept;

// Of a thread, whichever of its stacks it is on.
class rest {
 public:
  bool begun() const noexcept { return begun_.load(mo::relaxed); }
  // Sleeps until somebody wakes the thread, and looks now and then for work that nobody else could come for.
  void sleep(thread_data& t) noexcept;
  // After a sleep of another kind, which nobody has ended.
  void has_slept(thread_data& t, std::uint64_t nanoseconds) noexcept;
  // The thread goes on.
  void end(thread_data& t) noexcept {
    slept_ = 0;
    if (ASHLAR_UNLIKELY(begun())) give_up(t);
  }

 private:
  void look(thread_data& t) noexcept;
  void give_up(thread_data& t) noexcept;

  std::uint64_t slept_ = 0;     // since the last look
  std::uint64_t interval_ = 0;  // between two looks
  atomic<bool> begun_{false};
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
