// SPDX-License-Identifier: Apache-2.0
// tbb::flow::frozen_graph and freeze: a graph of continue_nodes that runs many times. Users include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/flow/engine/graph.h>

namespace ashlar {
inline namespace v1 {
namespace flow {

class frozen_plan;

/// The part of a frozen_graph that is not its user's.
class frozen_core {
 public:
  /// Throws std::invalid_argument, std::bad_alloc.
  ASHLAR_EXPORT explicit frozen_core(graph_core& g);
  ASHLAR_EXPORT ~frozen_core();
  frozen_core(frozen_core const&) = delete;
  frozen_core& operator=(frozen_core const&) = delete;
  ASHLAR_EXPORT void run();
  std::size_t size() const noexcept { return size_; }

 private:
  frozen_plan* const plan_;
  std::size_t const size_;
};

}  // namespace flow
}  // namespace v1
}  // namespace ashlar

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// Ashlar's own: what the nodes and edges of a graph are when it is constructed, made fast to run as a whole, many
/// times. A run calls each node's body once, after those of its predecessors; it allocates nothing and takes no lock.
/// Messages can still be put into the graph's nodes, and neither disturbs the other. Bodies that took very little time
/// in former runs, some microseconds together, may be called by one thread one after the other, even if no edge orders
/// them: a body must not wait for another one that is not among its predecessors.
///
/// The graph has continue_nodes only, without a number of predecessors besides their edges, and no circle; else
/// std::invalid_argument is thrown, which names the node. Priorities are ignored. As long as the object lives, no node
/// and no edge is made or ended.
///
/// Thread safety: one run at a time. Cost: O(nodes and edges) to construct.
class frozen_graph {
 public:
  explicit frozen_graph(graph& g) : core_(g.core()) {}
  // As if a message were put into each node without a predecessor, and wait_for_all(). Rethrows what a body has thrown;
  // then the bodies that had not started don't run, and the next run is whole again.
  void run() { core_.run(); }
  void run_n(std::size_t times) {
    while (times-- != 0) run();
  }
  std::size_t size() const noexcept { return core_.size(); }

 private:
  ::ashlar::flow::frozen_core core_;
};
inline frozen_graph freeze(graph& g) { return frozen_graph(g); }

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, frozen_graph)
ASHLAR_FLOW_KNOWN_IN(11, freeze)
}  // namespace flow
}  // namespace tbb
