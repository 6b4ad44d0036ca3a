// SPDX-License-Identifier: Apache-2.0
// What a node of the library must not forget: it is complete, and has its first edges, when its last member is there,
// and waits before the first one goes. A class that derives from living_node ends with these two lines:
//
//   life const& its_life() const noexcept override { return life_; }
//   life const life_;
//
// and its constructors with life_(*this, where), or life_(*this, other) in a copy. Without that they don't compile.
//
// Invariants LN1 life_ is the last member: nothing of the node is made after it, and nothing goes before it.
//            LN2 a class that other nodes derive from has constructors for them that make its own life empty.
#pragma once

#include <ashlar/flow/engine/graph.h>

ASHLAR_FLOW_PARTS

/// A node that runs something, or keeps messages. Each dialect has its own, as it has its own graph_node.
class living_node : public graph_node {
 protected:
  explicit living_node(graph& g) : graph_node(g) {}
  /// Another node of the same graph.
  living_node(living_node const& other) : graph_node(other.my_graph) {}
  ~living_node() override = default;

 private:
  // Nobody calls it: a class that forgets its life is abstract, and can't be made.
  virtual life const& its_life() const noexcept = 0;
};

ASHLAR_FLOW_PARTS_END
