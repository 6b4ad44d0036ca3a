// SPDX-License-Identifier: Apache-2.0
// How much of a processor a program uses that has next to nothing to do.
#include "support/eventually.h"

#include "os/topology.h"
#include "sched/core/worker_source.h"
#include "sched/policy/policies.h"

#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include <time.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

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

// Threads that would spin give way then: the one that has work needs a processor.
TEST_CASE("threads in waits are seen to fill the processors, until the waits are over") {
  using namespace ashlar::sched;
  auto& idle = policies::get().idle;
  idle_policy const before = idle.load(ashlar::mo::relaxed);
  idle.store(idle_policy::spin, ashlar::mo::relaxed);
  std::atomic<bool> over{false};
  tbb::task_group group;
  group.run([&] { test::eventually([&] { return over.load(); }); });
  worker_source& source = worker_source::get();
  std::vector<std::thread> waiters;
  for (unsigned n = ashlar::os::available_cpus(); n != 0; --n) waiters.emplace_back([&] { group.wait(); });
  CHECK(test::eventually([&] { return source.waits_fill_processors(); }));
  over = true;
  group.wait();
  for (std::thread& t : waiters) t.join();
  CHECK_FALSE(source.waits_fill_processors());
  idle.store(before, ashlar::mo::relaxed);
}
