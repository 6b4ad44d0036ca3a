// SPDX-License-Identifier: Apache-2.0
// tbb::flow::broadcast_node. Users include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/flow/edges/node_set.h>
#include <ashlar/flow/engine/living_node.h>
#include <ashlar/flow/work/relay.h>

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// Sends each message to all successors. It keeps none: what a successor refuses is lost to it.
template <typename T>
class broadcast_node : public living_node, public relay<T>, public node_output<T> {
 public:
  using input_type = T;
  using output_type = T;
  using predecessor_type = sender<T>;
  using successor_type = receiver<T>;

  explicit broadcast_node(graph& g) : living_node(g), relay<T>(g), node_output<T>(g.core()) {}
  template <typename Order, typename... Nodes>
  explicit broadcast_node(node_set<Order, Nodes...> const& nodes) : broadcast_node(nodes.graph_reference()) {
    make_edges_in_order(nodes, *this);
  }
  broadcast_node(broadcast_node const& other) : broadcast_node(other.my_graph) {}

 private:
  ::ashlar::sched::job* hand_on(T& v, ::ashlar::flow::passage p) final { return this->broadcast(*this, v, p); }
  void describe(::ashlar::flow::picture& to) override {
    to.kind("broadcast_node");
    this->describe_input(to);
    this->describe_output(to);
  }
  void reset_node(reset_flags f) override {
    if ((f & rf_clear_edges) != 0) this->clear_successors();
  }
  life const& its_life() const noexcept override { return life_; }

  life const life_{*this};
};

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, broadcast_node)
}  // namespace flow
}  // namespace tbb
