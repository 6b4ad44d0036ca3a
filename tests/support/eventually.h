// SPDX-License-Identifier: Apache-2.0
// Waiting for what other threads are to do.
//
// A limit makes a hang a failure with a line number. It counts the waiting thread's own processor time: a machine that
// is slow, busy with other programs, or stands still for a while doesn't reach it.
#pragma once

#include <atomic>
#include <chrono>
#include <ctime>
#include <thread>

namespace test {

constexpr auto patience = std::chrono::seconds(30);

class waiting {
 public:
  // To be called again and again by the thread that waits. False when its patience is at an end.
  bool goes_on() {
    std::this_thread::yield();
    return ++looks_ % 256 != 0 || processor_time() < end_;
  }

 private:
  static std::chrono::nanoseconds processor_time() {
    timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
  }
  unsigned looks_ = 0;
  std::chrono::nanoseconds end_ = processor_time() + patience;
};

// However long it takes.
inline void until(std::atomic<bool> const& done) {
  while (!done) std::this_thread::yield();
}

// True as soon as condition() is, false if it isn't for too long.
template <typename Condition>
bool eventually(Condition const& condition) {
  waiting w;
  while (!condition()) {
    if (!w.goes_on()) return false;
  }
  return true;
}

}  // namespace test
