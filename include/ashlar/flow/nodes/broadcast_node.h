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
class broadcast_node : public ::ashlar::flow::living_node,
                       public ::ashlar::flow::relay<T>,
                       public ::ashlar::flow::node_output<T> {
 public:
  explicit broadcast_node(::ashlar::flow::position<broadcast_node> where)
      : ::ashlar::flow::living_node(where.its_graph()),
        ::ashlar::flow::relay<T>(where.its_graph()),
        ::ashlar::flow::node_output<T>(where.core()),
        life_(*this, where) {}
  broadcast_node(broadcast_node const& other) : broadcast_node(other.my_graph) {}

 private:
  ::ashlar::sched::job* hand_on(T& v, ::ashlar::flow::passage p) final { return this->broadcast(*this, v, p); }
  void describe(::ashlar::flow::picture& to) override {
    to.kind("broadcast_node");
    this->describe_input(to);
    this->describe_output(to);
  }
  void reset_node(reset_flags f) override { this->reset_output(f); }
  life const& its_life() const noexcept override { return life_; }

  life const life_;
};

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, broadcast_node)
}  // namespace flow
}  // namespace tbb
