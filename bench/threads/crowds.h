// SPDX-License-Identifier: Apache-2.0
// Many of what a program usually has few of: application threads, threads of the library, suspended tasks.
#pragma once

#include "countdown.h"
#include "team.h"

#include <tbb/parallel_for.h>
#include <tbb/task_group.h>
#if TBB_INTERFACE_VERSION >= 12000
#include <tbb/task.h>
#endif

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

namespace threads {

// So many application threads run loops of 100 empty iterations, 20 each; seconds per loop.
inline double application_threads(int count, bool& right) {
  constexpr int loops = 20;
  constexpr int iterations = 100;
  countdown ready(count), go(1);
  std::atomic<long> ran{0};
  std::vector<std::thread> all;
  for (int i = 0; i < count; ++i) {
    all.emplace_back([&] {
      ready.one_less();
      go.wait();
      for (int loop = 0; loop < loops; ++loop) {
        tbb::parallel_for(0, iterations, [&](int) { ran.fetch_add(1, std::memory_order_relaxed); });
      }
    });
  }
  ready.wait();
  double const begin = bench::wall_now();
  go.one_less();
  for (std::thread& thread : all) thread.join();
  double const took = bench::wall_now() - begin;
  right = right && ran == static_cast<long>(count) * loops * iterations;
  return took / (static_cast<double>(count) * loops);
}

// Seconds until all threads of a team that has none yet are in a loop's bodies at the same time.
inline double thousand_threads(int count) {
  team t(count);
  double const begin = bench::wall_now();
  t.warm();
  return bench::wall_now() - begin;
}

#if TBB_INTERFACE_VERSION >= 12000
// So many tasks suspend themselves; when the last one has, another thread resumes them all. Seconds per task.
inline double suspended_tasks(team& t, int count, bool& right) {
  std::mutex lock;
  std::vector<tbb::task::suspend_point> waiting;
  countdown left(count);
  std::thread other([&] {
    left.wait();
    for (tbb::task::suspend_point point : waiting) tbb::task::resume(point);
  });
  std::atomic<int> ran{0};
  double const begin = bench::wall_now();
  t.arena().execute([&] {
    tbb::task_group tasks;
    for (int i = 0; i < count; ++i) {
      tasks.run([&] {
        tbb::task::suspend([&](tbb::task::suspend_point point) {
          {
            std::lock_guard<std::mutex> const hold(lock);
            waiting.push_back(point);
          }
          left.one_less();
        });
        ran.fetch_add(1);
      });
    }
    tasks.wait();
  });
  double const took = bench::wall_now() - begin;
  other.join();
  right = right && ran == count;
  return took / count;
}
#endif

}  // namespace threads
