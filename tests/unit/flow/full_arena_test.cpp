// SPDX-License-Identifier: Apache-2.0
// A wait for a message by a thread that finds no place in the graph's arena.
#define TBB_PREVIEW_FLOW_GRAPH_TRY_PUT_AND_WAIT 1
#include <tbb/flow_graph.h>
#include <tbb/task_arena.h>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

using namespace tbb::flow;

TEST_CASE("a wait for a message ends with it, though the arena is full and its thread waits for nothing any more") {
  for (int round = 0; round < 50; ++round) {
    tbb::task_arena arena(1);
    std::atomic<bool> over{false};
    std::thread other;
    std::unique_ptr<graph> g;
    std::unique_ptr<function_node<int>> node;
    arena.execute([&] {
      g = std::make_unique<graph>();
      node = std::make_unique<function_node<int>>(*g, unlimited, [](int) {});
      other = std::thread([&] {
        CHECK(node->try_put_and_wait(1));
        over = true;
      });
      auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
      // Runs the body, but nothing that comes after it.
      while (!over && std::chrono::steady_clock::now() < end) g->wait_for_all();
      CHECK(over);
    });
    other.join();
  }
}
