// SPDX-License-Identifier: Apache-2.0
// Processors that are taken away from the running process, and come back.
#include "os/allowance.h"
#include "sched/market/market.h"

#include <tbb/parallel_for.h>

#include <doctest/doctest.h>

#include <dirent.h>
#include <sched.h>

#include <atomic>
#include <cstdlib>

namespace {

void put_all_threads_on(cpu_set_t const& cpus) {
  DIR* const threads = ::opendir("/proc/self/task");
  REQUIRE(threads != nullptr);
  while (dirent const* const entry = ::readdir(threads)) {
    int const id = std::atoi(entry->d_name);
    if (id > 0) ::sched_setaffinity(id, sizeof cpus, &cpus);
  }
  ::closedir(threads);
}

void some_loop() {
  std::atomic<long> sum{0};
  tbb::parallel_for(0, 200, [&](int i) {
    for (int k = 0; k < 2000; ++k) asm volatile("" : : "r"(k));
    sum.fetch_add(i, std::memory_order_relaxed);
  });
  CHECK(sum == 199 * 100);
}

}  // namespace

TEST_CASE("workers give way when the process's processors are taken away, and come back") {
  auto& market = ashlar::sched::market::get();
  cpu_set_t all;
  REQUIRE(::sched_getaffinity(0, sizeof all, &all) == 0);
  if (CPU_COUNT(&all) < 2 || market.worker_limit() == 0 || ashlar::os::read_allowance("") < 2) return;
  int first = 0;
  while (!CPU_ISSET(first, &all)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  CHECK_FALSE(market.short_of_processors());
  // Again and again: a worker that was kept off a CPU puts its former mask back when it wakes up.
  while (!market.short_of_processors()) {
    put_all_threads_on(one);
    some_loop();
  }
  while (market.short_of_processors()) {
    put_all_threads_on(all);
    some_loop();
  }
}
