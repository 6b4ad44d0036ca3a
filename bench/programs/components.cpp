// SPDX-License-Identifier: Apache-2.0
// Connected components after Shiloach and Vishkin (1982): every edge hooks the greater of two roots below the smaller
// one, then pointers jump until all trees are stars; repeated until no edge joins two trees.
#include "common/graph.h"
#include "common/tbb_program.h"

#include <tbb/blocked_range.h>
#include <tbb/combinable.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <numeric>
#include <utility>
#include <vector>

namespace {

using programs::vertex;

class components {
 public:
  explicit components(double scale) : levels_(programs::scaled_levels(scale, 19)), parents_(std::size_t{1} << levels_) {
    // Few edges, so that there are many components beside the great one.
    edges_ = programs::rmat_edges(levels_, programs::scaled(scale, 1200000, 400), 2);
  }

  void work() {
    for (int repetition = 0; repetition < 18; ++repetition) find_all();
  }

  char const* wrong() {
    std::vector<vertex> root(parents_.size());
    std::iota(root.begin(), root.end(), vertex{0});
    auto const find = [&root](vertex v) {
      while (root[v] != v) v = root[v] = root[root[v]];
      return v;
    };
    for (auto const& e : edges_) {
      vertex const a = find(e.first), b = find(e.second);
      root[a < b ? b : a] = a < b ? a : b;
    }
    std::size_t trees = 0;
    for (vertex v = 0; v < root.size(); ++v) {
      // Both take the smallest number of a component as its label.
      if (parents_[v].load() != find(v)) return "label of a vertex";
      trees += find(v) == v;
    }
    return trees == count_ ? nullptr : "number of components";
  }

 private:
  using range = tbb::blocked_range<std::size_t>;

  void find_all() {
    tbb::parallel_for(range(0, parents_.size()), [this](range const& r) {
      for (std::size_t v = r.begin(); v != r.end(); ++v) {
        parents_[v].store(static_cast<vertex>(v), std::memory_order_relaxed);
      }
    });
    bool hooked = true;
    while (hooked) {
      std::atomic<bool> any{false};
      tbb::parallel_for(range(0, edges_.size()), [&](range const& r) {
        bool mine = false;
        for (std::size_t i = r.begin(); i != r.end(); ++i) mine |= hook(edges_[i].first, edges_[i].second);
        if (mine) any.store(true, std::memory_order_relaxed);
      });
      hooked = any.load();
      if (hooked) jump();
    }
    tbb::combinable<std::size_t> roots([] { return std::size_t{0}; });
    tbb::parallel_for(std::size_t{0}, parents_.size(),
                      [&](std::size_t v) { roots.local() += parents_[v].load(std::memory_order_relaxed) == v; });
    count_ = roots.combine(std::plus<>());
  }

  vertex parent(vertex v) const { return parents_[v].load(std::memory_order_relaxed); }

  bool hook(vertex a, vertex b) {
    vertex u = parent(a), v = parent(b);
    if (u == v) return false;
    if (u < v) std::swap(u, v);
    vertex expected = u;
    parents_[u].compare_exchange_strong(expected, v, std::memory_order_relaxed);
    return true;
  }

  void jump() {
    tbb::parallel_for(range(0, parents_.size()), [this](range const& r) {
      for (std::size_t i = r.begin(); i != r.end(); ++i) {
        auto const v = static_cast<vertex>(i);
        vertex up = parent(v);
        while (up != parent(up)) up = parent(up);
        parents_[v].store(up, std::memory_order_relaxed);
      }
    });
  }

  int const levels_;
  std::vector<std::pair<vertex, vertex>> edges_;
  std::vector<std::atomic<vertex>> parents_;
  std::size_t count_ = 0;
};

}  // namespace

int main(int argc, char** argv) { return programs::tbb_main<components>(argc, argv); }
