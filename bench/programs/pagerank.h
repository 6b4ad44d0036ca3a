// SPDX-License-Identifier: Apache-2.0
// Page rank (Brin and Page 1998) apart from how it is parallelised: the graph with its edges reversed, one step for a
// range of pages, the check. A step is: contributions of all pages, then `pull` for all ranges, then `next`.
#pragma once

#include "common/graph.h"

#include <cmath>
#include <vector>

namespace programs {

class pagerank_data {
 public:
  static constexpr int steps = 100;
  static constexpr double damping = 0.85;

  explicit pagerank_data(double scale)
      : out_degree_(std::size_t{1} << scaled_levels(scale, 17)),
        incoming_(make_graph(scaled_levels(scale, 17), scaled(scale, 1500000, 500), 3, false)),
        ranks_(size(), 1.0 / static_cast<double>(size())),
        shares_(size()),
        fresh_(size()) {
    for (vertex const source : incoming_.targets) ++out_degree_[source];
  }

  std::size_t size() const { return out_degree_.size(); }

  // What each of the pages gives to those that it links to; returns the rank of those that link to none.
  __attribute__((noinline)) double share_out(std::size_t begin, std::size_t end) {
    double dangling = 0;
    for (std::size_t v = begin; v != end; ++v) {
      if (out_degree_[v] == 0) {
        dangling += ranks_[v];
      } else {
        shares_[v] = ranks_[v] / out_degree_[v];
      }
    }
    return dangling;
  }

  // The new ranks; returns the sum of the changes.
  __attribute__((noinline)) double pull(std::size_t begin, std::size_t end, double dangling) {
    double const n = static_cast<double>(size()), base = (1 - damping) / n + damping * dangling / n;
    double change = 0;
    for (std::size_t v = begin; v != end; ++v) {
      double sum = 0;
      for (std::uint32_t e = incoming_.first[v]; e != incoming_.first[v + 1]; ++e) sum += shares_[incoming_.targets[e]];
      fresh_[v] = base + damping * sum;
      change += std::fabs(fresh_[v] - ranks_[v]);
    }
    return change;
  }

  void next(double change) {
    ranks_.swap(fresh_);
    last_change_ = change;
  }

  char const* wrong() {
    double total = 0;
    for (double const r : ranks_) total += r;
    if (std::fabs(total - 1) > 1e-9) return "the sum of the ranks";
    // The change shrinks at least by the damping in every step; one step more changes next to nothing.
    double const more = pull(0, size(), share_out(0, size()));
    return more <= last_change_ + 1e-12 && more < 2 * std::pow(damping, steps) + 1e-12
               ? nullptr
               : "the ranks do not fulfil their equation";
  }

 private:
  std::vector<std::uint32_t> out_degree_;
  graph incoming_;
  std::vector<double> ranks_, shares_, fresh_;
  double last_change_ = 0;
};

}  // namespace programs
