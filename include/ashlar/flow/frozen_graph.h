// SPDX-License-Identifier: Apache-2.0
// tbb::flow::frozen_graph and freeze: a graph of continue_nodes that runs many times. Users include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/flow/graph.h>

namespace ashlar {
inline namespace v1 {
namespace flow {

/// The nodes of a graph in an order in which each comes after its predecessors, with counters and jobs of their own.
///
/// Threads    one at a time, but the steps run on any.
/// Invariants FZ1 a step's remaining_ is what is missing in this run. Who brings it to 0 sets it back before the step
///                runs: the next run can't touch it before that.
/// Ordering   [FP1] a predecessor has run: remaining down, acq_rel -> [FP2] the last one: acq_rel
/// Model      tests/model/flow_frozen_model.cpp
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
  struct step;
  struct edges_found;
  void sort(edges_found& f);
  static job* run_step(job* self, slot& here) noexcept;
  static void call(step& s, slot& here) noexcept;

  graph_core* const graph_;
  step* steps_ = nullptr;
  step** successors_ = nullptr;
  std::size_t size_ = 0;
  std::size_t roots_ = 0;  // they come first
};

}  // namespace flow
}  // namespace v1
}  // namespace ashlar

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// Ashlar's own: what the nodes and edges of a graph are when it is constructed, made fast to run as a whole, many
/// times. A run calls each node's body once, after those of its predecessors; it allocates nothing and takes no lock.
/// Messages can still be put into the graph's nodes, and neither disturbs the other.
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
