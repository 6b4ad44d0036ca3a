// SPDX-License-Identifier: Apache-2.0
// Which of a sender's successors gets a message first, and which of their bodies run first where one thread runs them.
#include "support/dialect.h"

#include <tbb/parallel_for.h>

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace test;

// Its body runs within the put, so that the bodies tell in which order the nodes were sent to.
using at_once = flow::function_node<int, int, flow::lightweight>;

std::unique_ptr<at_once> teller(graph& g, std::string& order, char name, flow::node_priority_t priority) {
  auto const body = [&order, name](int x) noexcept { return order += name, x; };
  return std::make_unique<at_once>(g, unlimited, body, flow::lightweight(), priority);
}

TEST_CASE("those with a priority get a message first, in whatever order the edges were made") {
  bool const by_age = !ours && classic;  // TBB 2020 sends in the order of the edges
  graph g;
  flow::broadcast_node<int> from(g);
  std::string order;
  std::vector<std::unique_ptr<at_once>> to;
  auto const add = [&](char name, flow::node_priority_t priority) {
    to.push_back(teller(g, order, name, priority));
    make_edge(from, *to.back());
  };
  auto const sent = [&] {
    order.clear();
    from.try_put(1);
    g.wait_for_all();
    return order;
  };
  add('a', flow::no_priority);
  add('1', 1);
  CHECK(sent() == (by_age ? "a1" : "1a"));
  add('b', flow::no_priority);
  add('2', 2);
  CHECK(sent() == (by_age ? "a1b2" : "21ab"));
  flow::remove_edge(from, *to[0]);
  flow::remove_edge(from, *to[3]);
  CHECK(sent() == "1b");
  make_edge(from, *to[0]);
  make_edge(from, *to[3]);
  CHECK(sent() == (by_age ? "1ba2" : "21ba"));
}

TEST_CASE("one thread begins with the messages of a split_node's first port") {
  with_threads(1, [] {
    graph g;
    flow::split_node<std::tuple<int, int, int>> split(g);
    std::string order;
    auto const body = [&order](int x) { return order += std::to_string(x), continue_msg(); };
    flow::function_node<int> first(g, unlimited, body), second(g, unlimited, body), third(g, unlimited, body);
    make_edge(flow::output_port<0>(split), first);
    make_edge(flow::output_port<1>(split), second);
    make_edge(flow::output_port<2>(split), third);
    flow::function_node<int, std::tuple<int, int, int>> from(g, serial, [](int) { return std::make_tuple(1, 2, 3); });
    make_edge(from, split);
    from.try_put(0);
    g.wait_for_all();
    if (ours || !classic) CHECK(order == "123");  // TBB 2020 enqueues the tasks of a graph
    order.clear();
    split.try_put(std::make_tuple(1, 2, 3));
    g.wait_for_all();
    if (ours || !classic) CHECK(order == "123");
  });
}

#if !FLOW_CLASSIC
// A worker is there for enqueued functions, and leaves all else to the arena's only thread.
TEST_CASE("in an arena of one thread a node with a priority runs in that thread") {
  if (!ours) return;  // with oneTBB a worker that is there takes any task
  tbb::task_arena arena(1);
  arena.execute([&] {
    graph g;
    auto const here = std::this_thread::get_id();
    std::atomic<int> elsewhere{0}, enqueued{0};
    flow::function_node<int> node(
        g, unlimited,
        [&](int) {
          if (std::this_thread::get_id() != here) ++elsewhere;
          std::this_thread::yield();
          return continue_msg();
        },
        flow::node_priority_t(1));
    for (int round = 0; round < 300; ++round) {
      arena.enqueue([&] { ++enqueued; });
      for (int i = 0; i < 20; ++i) node.try_put(i);
      g.wait_for_all();
    }
    CHECK(elsewhere == 0);
    while (enqueued != 300) std::this_thread::yield();
  });
}
#endif

}  // namespace
