// SPDX-License-Identifier: Apache-2.0
// Tutorial, step 10: how many threads, and where.
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <atomic>
#include <cstdio>

int main() {
  std::printf("%d threads by default\n", tbb::info::default_concurrency());

  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 4);  // for the process, while it lives

  tbb::task_arena two(2);  // for a part of the work
  std::atomic<int> calls{0};
  bool seats_are_right = true;
  two.execute([&] {
    seats_are_right = tbb::this_task_arena::max_concurrency() == 2;
    tbb::parallel_for(0, 1000, [&](int) { calls.fetch_add(1, std::memory_order_relaxed); });
  });
  return calls == 1000 && seats_are_right ? 0 : 1;
}
