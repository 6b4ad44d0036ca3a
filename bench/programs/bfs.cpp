// SPDX-License-Identifier: Apache-2.0
// Breadth-first search by frontiers: a parallel_for over the frontier claims the neighbours, each thread collects those
// that it claimed, and the next frontier is put together from them.
#include "common/graph.h"
#include "common/tbb_program.h"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <vector>

namespace {

using programs::vertex;

class bfs {
 public:
  explicit bfs(double scale)
      : graph_(
            programs::make_graph(programs::scaled_levels(scale, 17), programs::scaled(scale, 1000000, 500), 1, true)),
        levels_(graph_.size()) {
    for (vertex v = 0; sources_.size() < 60; ++v) {
      if (graph_.degree(v) > 2) sources_.push_back(v);
    }
  }

  void work() {
    for (vertex const source : sources_) {
      search(source);
      reached_.push_back(total_);
    }
  }

  char const* wrong() {
    if (!levels_are_right(sources_.back())) return "levels";
    for (std::size_t i = 0; i < sources_.size(); i += 11) {
      if (reached_[i] != serial(sources_[i])) return "number of vertices reached";
    }
    return nullptr;
  }

 private:
  using list = std::vector<vertex>;

  void search(vertex source) {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, levels_.size(), 4096), [this](auto const& r) {
      for (std::size_t v = r.begin(); v != r.end(); ++v) levels_[v].store(-1, std::memory_order_relaxed);
    });
    levels_[source].store(0, std::memory_order_relaxed);
    frontier_.assign(1, source);
    total_ = 1;
    for (int level = 1; !frontier_.empty(); ++level) {
      tbb::enumerable_thread_specific<list> found;
      tbb::parallel_for(tbb::blocked_range<std::size_t>(0, frontier_.size(), 64), [&](auto const& r) {
        list& mine = found.local();
        for (std::size_t i = r.begin(); i != r.end(); ++i) claim_neighbours(frontier_[i], level, mine);
      });
      gather(found);
      total_ += frontier_.size();
    }
  }

  __attribute__((noinline)) void claim_neighbours(vertex v, int level, list& mine) {
    for (std::uint32_t e = graph_.first[v]; e != graph_.first[v + 1]; ++e) {
      std::atomic<int>& its = levels_[graph_.targets[e]];
      int unseen = -1;
      if (its.load(std::memory_order_relaxed) == -1 && its.compare_exchange_strong(unseen, level)) {
        mine.push_back(graph_.targets[e]);
      }
    }
  }

  void gather(tbb::enumerable_thread_specific<list>& found) {
    std::vector<std::pair<list const*, std::size_t>> parts;
    std::size_t size = 0;
    for (list const& part : found) {
      parts.push_back({&part, size});
      size += part.size();
    }
    frontier_.resize(size);
    tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t i) {
      std::copy(parts[i].first->begin(), parts[i].first->end(),
                frontier_.begin() + static_cast<std::ptrdiff_t>(parts[i].second));
    });
  }

  std::size_t serial(vertex source) const {
    std::vector<bool> seen(graph_.size());
    list queue{source};
    seen[source] = true;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      vertex const v = queue[i];
      for (std::uint32_t e = graph_.first[v]; e != graph_.first[v + 1]; ++e) {
        vertex const to = graph_.targets[e];
        if (!seen[to]) queue.push_back(to);
        seen[to] = true;
      }
    }
    return queue.size();
  }

  // The ends of an edge differ by at most one level, and whoever is not the source has a neighbour one level up.
  bool levels_are_right(vertex source) const {
    for (vertex v = 0; v < graph_.size(); ++v) {
      int const level = levels_[v].load();
      bool has_parent = level == -1 || (level == 0 && v == source);
      for (std::uint32_t e = graph_.first[v]; e != graph_.first[v + 1]; ++e) {
        int const other = levels_[graph_.targets[e]].load();
        if ((level == -1) != (other == -1) || std::abs(level - other) > 1) return false;
        has_parent = has_parent || other == level - 1;
      }
      if (!has_parent) return false;
    }
    return true;
  }

  programs::graph graph_;
  std::vector<std::atomic<int>> levels_;
  std::vector<vertex> sources_;
  list frontier_;
  std::size_t total_ = 0;
  std::vector<std::size_t> reached_;
};

}  // namespace

int main(int argc, char** argv) { return programs::tbb_main<bfs>(argc, argv); }
