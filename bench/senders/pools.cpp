// SPDX-License-Identifier: Apache-2.0
// Our scheduler; oneTBB by stdexec's wrapper of a task_arena, with as many workers as the others have threads.
#include "senders.h"

#if __has_include(<ashlar/execution.h>)
#include <ashlar/execution.h>
#include <tbb/parallel_for.h>
#else
#include <tbb/parallel_for.h>
#include <exec/tbb/tbb_thread_pool.hpp>
#endif
#include <bench/tbb_peer.h>

namespace {

int loop(bench::options const& o) {
  std::atomic<long> count{0};
  return bench::sampled_count(o, "ns/run", 1, count, [&] {
    tbb::parallel_for(0, 1000, [&](int i) {
      bench::one_microsecond();
      if (i == 0) ++count;
    });
  });
}

int measure(bench::options const& o) {
#if __has_include(<ashlar/execution.h>)
  return bench::measure(o, tbb::execution::arena_scheduler(tbb::attach()));
#else
  tbb::global_control const workers(tbb::global_control::max_allowed_parallelism, std::size_t(o.threads) + 1);
  exec::tbb::tbb_thread_pool pool(o.threads, 0u);
  return bench::measure(o, pool.get_scheduler());
#endif
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  if (bench::is_row(o, "parallel_for")) return bench::with_threads(o.threads, [&] { return loop(o); });
#if __has_include(<ashlar/execution.h>)
  return bench::with_threads(o.threads, [&] { return measure(o); });
#else
  return measure(o);
#endif
}
