// SPDX-License-Identifier: Apache-2.0
// How much of a processor a program uses that has next to nothing to do.
#include <tbb/parallel_for.h>

#include <doctest/doctest.h>

#include <time.h>

#include <chrono>
#include <thread>

namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

}  // namespace

TEST_CASE("a program with one tiny loop every millisecond leaves its processors to others") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  MESSAGE("skipped: a sanitizer's build computes for longer than it pauses");
  return;
#endif
  double const begin = seconds_of(CLOCK_MONOTONIC), cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  for (int round = 0; round < 300; ++round) {
    tbb::parallel_for(0, 1000, [](int) {});
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the program's pause, not the test's patience
  }
  double const share = (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu) / (seconds_of(CLOCK_MONOTONIC) - begin);
  // 0.03 is usual; oneTBB's workers, which look for work until the next loop, take a whole processor.
  CHECK(share < 0.3);
}
