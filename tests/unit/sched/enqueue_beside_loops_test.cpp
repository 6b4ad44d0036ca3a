// SPDX-License-Identifier: Apache-2.0
// An application thread that now and then enqueues into an arena of its own doesn't take the worker away from another
// one's loops: it isn't taken for a thread at work.
#include "sched/api/application_thread.h"
#include "sched/core/thread_data.h"
#include "sched/market/market.h"

#include <support/eventually.h>
#include <support/thread_team.h>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace {

bool counts_as_busy() {
  auto const& share = ashlar::sched::this_thread_data().share;
  std::lock_guard const guard(ashlar::sched::market::get().lock_);
  return share.busy;
}

}  // namespace

TEST_CASE("enqueue beside loops: the thread that enqueues does not count as busy") {
  test::thread_team const two(2);
  constexpr int enqueues = 500;
  std::atomic<bool> over{false};
  int busy = 0;
  std::thread enqueuing([&] {
    tbb::task_arena arena(2, 0);
    auto const enqueue = [&] {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      arena.enqueue([] {});
      return counts_as_busy();
    };
    CHECK(test::eventually([&] { return !enqueue(); }));  // as each new thread it is taken for busy at first
    for (int i = 0; i < enqueues; ++i) busy += enqueue();
    over = true;
  });
  while (!over) {
    tbb::parallel_for(0, 256, [](int) {
      for (int k = 0; k < 20'000; ++k) asm volatile("" : : "r"(k));
    });
  }
  enqueuing.join();
  // A measurement may meet it while it enqueues. Where each enqueue counted as work, nearly all left it busy.
  CHECK(busy < enqueues / 2);
}
