// SPDX-License-Identifier: Apache-2.0
// graph::reset does not depend on which node was made first; and what a graph's bodies bind below the context that the
// graph was given lives longer than the graph.
#include "support/dialect.h"

#include <doctest/doctest.h>

#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include <memory>
#include <vector>

namespace {

using namespace test;

// A limiter that is full, and a queue behind it in the order of their coming that holds what was refused.
void reset_full_limiter(bool queue_first) {
  graph g;
  std::unique_ptr<flow::queue_node<int>> queue;
  if (queue_first) queue = std::make_unique<flow::queue_node<int>>(g);
  flow::limiter_node<int> limiter(g, 2);
  std::vector<int> seen;
  flow::function_node<int> sink(g, flow::serial, [&seen](int i) { seen.push_back(i); });
  if (!queue_first) queue = std::make_unique<flow::queue_node<int>>(g);
  flow::make_edge(*queue, limiter);
  flow::make_edge(limiter, sink);
  for (int i = 0; i < 5; ++i) queue->try_put(i);
  g.wait_for_all();
  CHECK(seen == std::vector<int>{0, 1});
  g.reset();
  g.wait_for_all();
  CHECK(seen == std::vector<int>{0, 1});
  for (int i = 10; i < 13; ++i) queue->try_put(i);
  g.wait_for_all();
  CHECK(seen == std::vector<int>{0, 1, 10, 11});
}

TEST_CASE("a limiter begins anew with nothing of what its predecessors held") {
  reset_full_limiter(true);
  reset_full_limiter(false);
}

void count_after_clear(bool sources_first) {
  graph g;
  std::vector<std::unique_ptr<flow::broadcast_node<continue_msg>>> sources;
  auto const make_sources = [&] {
    for (int i = 0; i < 3; ++i) sources.push_back(std::make_unique<flow::broadcast_node<continue_msg>>(g));
  };
  if (sources_first) make_sources();
  int runs = 0;
  flow::continue_node<continue_msg> node(g, [&runs](continue_msg) { return ++runs, continue_msg(); });
  if (!sources_first) make_sources();
  for (auto const& s : sources) flow::make_edge(*s, node);
  g.reset(flow::rf_clear_edges);
  for (int i = 0; i < 2; ++i) flow::make_edge(*sources[static_cast<std::size_t>(i)], node);
  sources[0]->try_put(continue_msg());
  g.wait_for_all();
  CHECK(runs == 0);
  sources[1]->try_put(continue_msg());
  g.wait_for_all();
  CHECK(runs == 1);
}

TEST_CASE("a continue_node whose edges were cleared counts those that are made then") {
  count_after_clear(true);
  count_after_clear(false);
}

#if !defined(FLOW_PEER) || TBB_INTERFACE_VERSION >= 12000  // TBB 2020 cancels no context below another one
TEST_CASE("a context that a body has bound outlives the graph, below the context that the graph was given") {
  tbb::task_group_context outer(tbb::task_group_context::isolated), inner, stranger(tbb::task_group_context::isolated);
  bool ran = false;
  {
    graph g(outer);
    flow::function_node<int> node(g, flow::serial, [&](int) {
      tbb::parallel_for(0, 1, [&](int) { ran = true; }, inner);
      outer.cancel_group_execution();
      CHECK(inner.is_group_execution_cancelled());
    });
    node.try_put(1);
    g.wait_for_all();
  }
  CHECK(ran);
  inner.reset();
  outer.reset();
  auto const elsewhere = std::make_unique<std::vector<char>>(1 << 14, char(0x5a));  // where the graph was, perhaps
  stranger.cancel_group_execution();
  CHECK(!inner.is_group_execution_cancelled());
  outer.cancel_group_execution();
  CHECK(inner.is_group_execution_cancelled());
}
#endif

}  // namespace
