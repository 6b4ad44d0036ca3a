// SPDX-License-Identifier: Apache-2.0
// The side of host.cpp that is compiled with oneTBB's headers.
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <unistd.h>
#include <atomic>
#include <stdexcept>

extern "C" long plugin_sum(long n) {
  return tbb::parallel_reduce(
      tbb::blocked_range<long>(0, n), 0L,
      [](tbb::blocked_range<long> const& part, long sum) {
        for (long k = part.begin(); k < part.end(); ++k) sum += (k * k) & 7;
        return sum;
      },
      [](long a, long b) { return a + b; });
}

extern "C" int plugin_index() { return tbb::this_task_arena::current_thread_index(); }

extern "C" long plugin_limit() {
  return static_cast<long>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
}

extern "C" int plugin_is_canceling() { return tbb::is_current_task_group_canceling(); }

extern "C" void plugin_throws() {
  tbb::parallel_for(0, 100, [](int i) {
    if (i == 50) throw std::runtime_error("from the plugin");
  });
}

// n bodies of one millisecond; returns how many ran.
extern "C" long plugin_slow_loop(long n) {
  std::atomic<long> ran{0};
  tbb::parallel_for(
      0L, n,
      [&](long) {
        usleep(1000);
        ++ran;
      },
      tbb::simple_partitioner());
  return ran;
}
