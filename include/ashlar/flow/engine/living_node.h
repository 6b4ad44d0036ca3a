// SPDX-License-Identifier: Apache-2.0
// What a node of the library must not forget: it is complete when its last member is there, and waits before the first
// one goes. A class that derives from living_node ends with these two lines:
//
//   life const& its_life() const noexcept override { return life_; }
//   life const life_{*this};
//
// Invariants LN1 life_ is the last member: nothing of the node is made after it, and nothing goes before it.
//            LN2 a class that other nodes derive from has a constructor for them that makes its own life empty.
#pragma once

#include <ashlar/flow/engine/graph.h>

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// A node that runs something, or keeps messages. Each dialect has its own, as it has its own graph_node.
class living_node : public graph_node {
 protected:
  explicit living_node(graph& g) : graph_node(g) {}
  ~living_node() override = default;

 private:
  // Nobody calls it: a class that forgets its life is abstract, and can't be made.
  virtual life const& its_life() const noexcept = 0;
};

ASHLAR_FLOW_HOME_END
}  // namespace flow
}  // namespace tbb
