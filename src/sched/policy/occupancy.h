// SPDX-License-Identifier: Apache-2.0
// How many processors the application's own threads take up at the moment: workers that compete with them make nothing
// faster. The number is measured from the processor time of those threads, so that a thread that blocks, or does
// something else than loops, counts as what it is. README.md, 'Busy application threads'.
//
// Threads: everything under the market's lock but due() and threads().
#pragma once

#include "os/clock.h"

#include <ashlar/base/atomic.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

class occupancy {
 public:
  // Part of an application thread's data.
  struct thread {
    os::cpu_clock clock;
    std::uint64_t used = 0;  // nanoseconds, at the last measurement
    std::uint64_t measured = 0;
    bool busy = false;
    bool enrolled = false;
    thread* next = nullptr;
    thread* previous = nullptr;
  };

  // Who measures: a worker that runs itself and may keep such a thread from running, or one that slept meanwhile.
  enum class observer { running, asleep };

  // For the thread itself, when it first shares a loop. It is on a processor at this moment: until it has been measured
  // it counts as busy, or a worker would compete with it and others for milliseconds.
  void enroll(thread& t, std::uint64_t now) noexcept;
  // Of any application thread.
  void dismiss(thread& t) noexcept;
  // For a thread that was found idle and shares a loop now: the same holds for it.
  void wake(thread& t, std::uint64_t now) noexcept;
  // After a fork: only the calling thread (null: none) is left.
  void survive(thread* t, std::uint64_t now) noexcept;

  unsigned threads() const noexcept { return threads_.load(mo::relaxed); }
  // One application thread competes with nobody.
  bool due(std::uint64_t now, observer by) const noexcept {
    return threads() > 1 && now - measured_.load(mo::relaxed) >= interval(by);
  }
  // Measures the time since the last measurement. True if the result changed.
  bool measure(std::uint64_t now, observer by) noexcept;
  // The result; 0: unknown, or too old to say anything.
  unsigned processors(std::uint64_t now) const noexcept {
    return now - measured_.load(mo::relaxed) < valid ? processors_ : 0;
  }

 private:
  static std::uint64_t judge(thread& t, std::uint64_t now, observer by) noexcept;

  // Nanoseconds. Threads that share a processor take turns of up to 4 ms.
  static constexpr std::uint64_t interval(observer by) noexcept { return by == observer::asleep ? 500'000 : 2'000'000; }
  static constexpr std::uint64_t valid = 20'000'000;

  thread* first_ = nullptr;
  unsigned processors_ = 0;
  atomic<unsigned> threads_{0};
  atomic<std::uint64_t> measured_{0};
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
