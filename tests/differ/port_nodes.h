// SPDX-License-Identifier: Apache-2.0
// A node of any kind as the functions that a program may call: what is put into each of its inputs, what each output
// gives, and who follows it.
#pragma once

#include "subjects.h"

#include <tbb/flow_graph.h>

#include <functional>
#include <memory>
#include <tuple>
#include <utility>

namespace differ {

namespace flow = tbb::flow;

struct port_node {
  std::vector<std::function<bool(int)>> puts;
  std::vector<flow::sender<counted>*> outputs;
  std::function<std::string()> get;      // without a function: an error to call
  std::function<std::string()> reserve;  // "" if nothing is
  std::function<bool()> release, consume;
  std::function<void()> activate;
  std::function<std::string()> ask;
  std::vector<std::shared_ptr<void>> nodes;
};

// What bodies tell, in their order: what their puts returned.
using port_notes = std::vector<std::string>;

port_node make_port_node(flow::graph& g, step const& program, port_notes& notes);
// The nodes with several inputs or outputs.
port_node make_wide_port_node(flow::graph& g, step const& program, port_notes& notes);
constexpr int narrow_port_nodes = 15;
constexpr int wide_port_nodes = 9;

// A node, or a copy of it, which has its function and its policy, and no edges and no messages.
template <typename Node, typename... Arguments>
Node& own_node(port_node& made, bool copied, flow::graph& g, Arguments const&... arguments) {
  auto first = std::make_shared<Node>(g, arguments...);
  made.nodes.push_back(first);
  if (!copied) return *first;
  auto copy = std::make_shared<Node>(*first);
  made.nodes.push_back(copy);
  return *copy;
}

template <typename Node>
void takes(port_node& made, Node& node) {
  made.puts.push_back([&node](int i) { return node.try_put(counted(i)); });
}
template <typename Node>
void gives(port_node& made, Node& node) {
  made.outputs.push_back(&node);
  made.get = [&node] {
    counted c(-7);
    bool const got = node.try_get(c);
    return text(got) + text(got ? c.value : 0);
  };
}
template <typename Node>
void holds(port_node& made, Node& node) {
  made.reserve = [&node] {
    counted c(-7);
    bool const got = node.try_reserve(c);
    return got ? text(c.value) : std::string();
  };
  made.release = [&node] { return node.try_release(); };
  made.consume = [&node] { return node.try_consume(); };
}

}  // namespace differ
