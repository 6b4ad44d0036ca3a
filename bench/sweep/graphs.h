// SPDX-License-Identifier: Apache-2.0
// Flow graphs. Each has its graph object for all of its samples.
#pragma once

#include "sweep.h"

#include "../flow/dialect.h"

#include <tbb/flow_graph.h>

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace sweep {

namespace flow = tbb::flow;
using node = flow::function_node<long, long>;

inline long stage(long message) {
  body();
  return message;
}

struct chain {
  flow::graph g;
  std::deque<node> nodes;
  explicit chain(int length) {
    for (int i = 0; i < length; ++i) {
      nodes.emplace_back(g, flow::serial, stage);
      if (i != 0) flow::make_edge(nodes[static_cast<std::size_t>(i - 1)], nodes.back());
    }
  }
  long run(long units) {
    long const messages = std::max(16L, units / static_cast<long>(nodes.size()));
    for (long i = 0; i < messages; ++i) nodes.front().try_put(i);
    g.wait_for_all();
    return messages * static_cast<long>(nodes.size());
  }
};

struct unlimited_node {
  flow::graph g;
  node only{g, flow::unlimited, stage};
  long run(long units) {
    for (long i = 0; i < units; ++i) only.try_put(i);
    g.wait_for_all();
    return units;
  }
};

// A binary tree of continue nodes, from its root: 63 units each time.
struct tree {
  using step = flow::continue_node<flow::continue_msg>;
  flow::graph g;
  std::deque<step> nodes;
  tree() {
    for (std::size_t i = 0; i < 63; ++i) {
      nodes.emplace_back(g, [](flow::continue_msg) { body(); });
      if (i != 0) flow::make_edge(nodes[(i - 1) / 2], nodes.back());
    }
  }
  long run(long units) {
    long done = 0;
    for (; done < units; done += 63) {
      nodes.front().try_put(flow::continue_msg());
      g.wait_for_all();
    }
    return done;
  }
};

// A message goes to two nodes and is joined again.
struct join {
  flow::graph g;
  flow::broadcast_node<long> input{g};
  node left{g, flow::unlimited, stage}, right{g, flow::unlimited, stage};
  flow::join_node<std::tuple<long, long>> both{g};
  flow::function_node<std::tuple<long, long>> end{g, flow::serial, [](std::tuple<long, long> const&) {}};
  join() {
    flow::make_edge(input, left);
    flow::make_edge(input, right);
    flow::make_edge(left, flow::input_port<0>(both));
    flow::make_edge(right, flow::input_port<1>(both));
    flow::make_edge(both, end);
  }
  long run(long units) {
    for (long i = 0; i < units / 2; ++i) input.try_put(i);
    g.wait_for_all();
    return units / 2 * 2;
  }
};

// At most as many messages at work as threads, a source that waits for the limiter.
struct limited {
  flow::graph g;
  long next = 0, last = 0;
  std::unique_ptr<bench::flow_source<long>> source;
  flow::limiter_node<long> gate;
  node work{g, flow::unlimited, stage};
  flow::function_node<long, flow::continue_msg> end{g, flow::serial, [](long) { return flow::continue_msg(); }};
  explicit limited(int threads) : gate(g, static_cast<std::size_t>(2 * threads)) {
    source = std::make_unique<bench::flow_source<long>>(g, [this](long& out) {
      out = next;
      return next++ < last;
    });
    flow::make_edge(*source, gate);
    flow::make_edge(gate, work);
    flow::make_edge(work, end);
    flow::make_edge(end, bench::decrement_of(gate));
  }
  long run(long units) {
    next = 0;
    last = units;
    source->activate();
    g.wait_for_all();
    g.reset();
    return units;
  }
};

// Each message is handed to an activity outside and comes back at once, through the gateway.
struct gateway {
  using outside = flow::async_node<long, long>;
  flow::graph g;
  outside activity{g, flow::unlimited, [](long message, outside::gateway_type& way) {
                     way.reserve_wait();
                     way.try_put(message);
                     way.release_wait();
                   }};
  node work{g, flow::serial, stage};
  gateway() { flow::make_edge(activity, work); }
  long run(long units) {
    for (long i = 0; i < units; ++i) activity.try_put(i);
    g.wait_for_all();
    return units;
  }
};

template <typename Graph, typename... Arguments>
void add_graph(std::vector<site>& to, std::string const& name, Arguments... arguments) {
  auto const graph = std::make_shared<Graph>(arguments...);
  to.push_back({name, [=](long n) { return graph->run(n); }});
}

inline void add_graphs(std::vector<site>& to, int threads) {
  for (int const length : {2, 8}) add_graph<chain>(to, "flow-chain-" + std::to_string(length), length);
  add_graph<unlimited_node>(to, "flow-unlimited");
  add_graph<tree>(to, "flow-tree");
  add_graph<join>(to, "flow-join");
  add_graph<limited>(to, "flow-limiter", threads);
  add_graph<gateway>(to, "flow-gateway");
}

}  // namespace sweep
