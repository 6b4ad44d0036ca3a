// SPDX-License-Identifier: Apache-2.0
// Messages through a flow graph, in shapes: threads put them, an arena's workers carry them to their end.
#pragma once

#include "posting.h"

#include <tbb/flow_graph.h>
#include <tbb/task_arena.h>

#include <tuple>

namespace growth {

/// Puts a message with a number. It owns the nodes; their graph lives longer.
using putting = std::function<void(long)>;

/// build(graph, arrived) makes nodes, which call arrived() once for each message, in the task of a queueing node, and
/// returns the function that puts one. In a ring each arrival puts the next.
class stream {
 public:
  template <typename Build>
  stream(run& r, long live, Build const& build)
      : run_(r),
        live_(live),
        arena_(static_cast<int>(std::max(makers(r.form), enders(r.form)) - (r.form == shape::many_to_one ? 2 : 0)), 0) {
    arena_.execute([&] { graph_ = std::make_unique<tbb::flow::graph>(); });
    put_ = build(*graph_, [this] { arrive(); });
  }
  ~stream() {
    put_ = nullptr;  // the nodes, before the graph
  }
  stream(stream const&) = delete;
  stream& operator=(stream const&) = delete;

  void go() {
    if (run_.form == shape::ring) {
      for (long k = 0; k < live_; ++k) put();
    } else {
      std::vector<std::thread> threads;
      for (unsigned t = 0; t < makers(run_.form); ++t) threads.emplace_back([this] { make(); });
      for (std::thread& t : threads) t.join();
    }
    while (there_.load() > 0) std::this_thread::yield();
    graph_->wait_for_all();
  }

 private:
  void put() {
    ++there_;
    put_(next_++);
  }
  void arrive() {
    if (run_.form == shape::ring && run_.m.count(1)) put();
    --there_;
  }
  void make() {
    pace p(run_.m);
    while (p.step()) {
      while (there_.load(std::memory_order_relaxed) >= live_) std::this_thread::yield();
      put();
    }
  }

  run& run_;
  long const live_;
  tbb::task_arena arena_;
  std::unique_ptr<tbb::flow::graph> graph_;
  putting put_;
  std::atomic<long> there_{0};
  std::atomic<long> next_{0};
};

template <typename Build>
auto through(Build build) {
  return [=](run& r) { stream(r, 500, build).go(); };
}

/// The nodes live as long as the function that puts into the first of them.
template <typename Put, typename... Nodes>
putting holding(Put put, Nodes... nodes) {
  return [put, kept = std::make_tuple(nodes...)](long i) { put(i); };
}

/// The node in which each message ends.
template <typename T, typename Arrived>
auto sink(tbb::flow::graph& g, Arrived arrived) {
  return std::make_shared<tbb::flow::function_node<T>>(g, tbb::flow::serial, [arrived](T const&) { arrived(); });
}

}  // namespace growth
