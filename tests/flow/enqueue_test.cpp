// SPDX-License-Identifier: Apache-2.0
// Classic TBB's switch that has a graph's tasks enqueued.
#define TBB_DEPRECATED_FLOW_ENQUEUE 1
#include "support/dialect.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace {

using namespace test;

// Without a wait, and with one thread: only an enqueued task has a worker come for it.
bool runs_by_itself(std::atomic<int> const& seen, int wanted) {
  auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (seen != wanted && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  return seen == wanted;
}

TEST_CASE("messages pass a graph that nobody waits for") {
  for (int const threads : {1, 2}) {
    tbb::task_scheduler_init const limit(threads);
    std::atomic<int> seen{0};
    flow::graph g;
    flow::function_node<int, int> first(g, flow::unlimited, [](int i) { return i; });
    flow::function_node<int, int> last(g, flow::serial, [&seen](int i) {
      ++seen;
      return i;
    });
    flow::make_edge(first, last);
    for (int i = 0; i < 100; ++i) CHECK(first.try_put(i));
    CHECK(runs_by_itself(seen, 100));
    g.wait_for_all();
    CHECK(seen == 100);
  }
}

TEST_CASE("exceptions come out of the next wait") {
  tbb::task_scheduler_init const limit(1);
  std::atomic<int> seen{0};
  flow::graph g;
  flow::function_node<int, int> node(g, flow::unlimited, [&seen](int i) -> int {
    ++seen;
    throw i;
  });
  node.try_put(7);
  CHECK(runs_by_itself(seen, 1));
  CHECK_THROWS_AS(g.wait_for_all(), int);
}

}  // namespace
