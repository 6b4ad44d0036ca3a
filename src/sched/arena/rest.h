// SPDX-License-Identifier: Apache-2.0
// A thread that sleeps in a wait keeps its place among the threads that are allowed for a while only: then it rests, and
// somebody else may work in its stead until it goes on. README.md, 'Progress'.
//
// Threads    the sleeping one.
#pragma once

#include "sched/core/thread_data.h"

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

// How long a sleeping thread keeps its place, in nanoseconds.
std::uint64_t place_kept_ns() noexcept;

class rest {
 public:
  explicit rest(thread_data& t) noexcept : thread_(t) {}
  ~rest() { end(); }
  rest(rest const&) = delete;
  rest& operator=(rest const&) = delete;

  // Sleeps until somebody wakes the thread, and looks now and then for work that nobody else could come for.
  void sleep() noexcept;
  // After a sleep of another kind, which nobody has ended.
  void has_slept(std::uint64_t nanoseconds) noexcept;
  // The thread goes on.
  void end() noexcept {
    slept_ = 0;
    if (ASHLAR_UNLIKELY(begun_)) give_up();
  }

 private:
  void look() noexcept;
  void give_up() noexcept;

  thread_data& thread_;
  std::uint64_t slept_ = 0;     // since the last look
  std::uint64_t interval_ = 0;  // between two looks
  bool begun_ = false;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
