// SPDX-License-Identifier: Apache-2.0
#include "test_sender.h"
#include "throw_kept.h"

#include <tbb/flow_graph.h>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

using tbb::execution::sender_node;
using tbb::execution::sender_stopped;

TEST_CASE("a node sends the value of its sender, and no more senders are under way than it has places") {
  tbb::task_arena elsewhere(4, 0);
  tbb::flow::graph graph;
  std::atomic<int> now{0}, most{0}, sum{0};
  sender_node<int, int> twice(graph, 2, [&](int& i) {
    int const others = ++now;
    for (int seen = most; seen < others && !most.compare_exchange_weak(seen, others);) {
    }
    return ex::schedule(arena_scheduler(elsewhere)) | ex::then([&now, &i] {
             std::this_thread::sleep_for(std::chrono::microseconds(200));
             --now;
             return 2 * i;
           });
  });
  tbb::flow::function_node<int> adds(graph, tbb::flow::serial, [&](int i) { sum += i; });
  tbb::flow::make_edge(twice, adds);
  for (int i = 0; i < 100; ++i) twice.try_put(i);
  graph.wait_for_all();
  CHECK(sum == 99 * 100);
  CHECK(most <= 2);
}

TEST_CASE("an error of the sender, or a stop, cancels the graph") {
  tbb::flow::graph graph;
  sender_node<int> fails(graph, tbb::flow::unlimited, [](int& i) {
    return ex::just(i) | ex::then([](int v) {
             if (v == 3) throw_kept("node");
           });
  });
  fails.try_put(3);
  CHECK_THROWS_WITH_AS(graph.wait_for_all(), "node", std::runtime_error);
  CHECK(graph.is_cancelled());

  tbb::flow::graph other;
  sender_node<int> stops(other, tbb::flow::unlimited,
                         [](int&) { return sends([](auto& r) { ex::set_stopped(std::move(r)); }); });
  stops.try_put(1);
  CHECK_THROWS_AS(other.wait_for_all(), sender_stopped);
}
