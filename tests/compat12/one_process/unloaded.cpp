// SPDX-License-Identifier: Apache-2.0
// A plugin for unloads.cpp: compiled with oneTBB's headers, it has objects of the library that live as long as it is
// loaded.
#include <tbb/concurrent_queue.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/flow_graph.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_observer.h>

#include <atomic>
#include <stdexcept>

namespace {

struct watcher : tbb::task_scheduler_observer {
  std::atomic<int> inside{0};
  watcher() { observe(true); }
  ~watcher() { observe(false); }
  void on_scheduler_entry(bool) override { ++inside; }
  void on_scheduler_exit(bool) override { --inside; }
};

watcher of_plugin;
tbb::task_arena arena(3);
tbb::task_group group;
tbb::enumerable_thread_specific<long> sums;
tbb::concurrent_bounded_queue<int> queue;

}  // namespace

// Returns n, having counted to it in several ways.
extern "C" long count_to(long n) {
  std::atomic<long> all{0};
  tbb::parallel_for(0L, n, [&](long) { ++all; }, tbb::simple_partitioner());
  if (all != n) return -1;

  arena.execute([&] { tbb::parallel_for(0L, n, [&](long) { ++sums.local(); }); });
  if (sums.combine([](long a, long b) { return a + b; }) != n) return -2;
  sums.clear();

  for (long i = 0; i < n; ++i) group.run([&] { --all; });
  group.wait();
  if (all != 0) return -3;

  try {
    tbb::parallel_for(0L, n, [&](long i) {
      if (i == n / 2) throw std::range_error("of the plugin");
    });
    return -4;
  } catch (std::range_error const&) {
  }

  tbb::flow::graph g;
  tbb::flow::function_node<int, int> first(g, tbb::flow::unlimited, [](int v) { return v; });
  tbb::flow::function_node<int> second(g, tbb::flow::serial, [&](int) { ++all; });
  tbb::flow::make_edge(first, second);
  for (int i = 0; i < 100; ++i) first.try_put(i);
  g.wait_for_all();
  if (all != 100) return -5;

  arena.enqueue([] { queue.push(7); });
  int got = 0;
  queue.pop(got);
  return got == 7 ? n : -6;
}
