// SPDX-License-Identifier: Apache-2.0
// Page rank: two parallel_reduces a step, with affinity partitioners that live through all steps.
#include "pagerank.h"

#include "common/tbb_program.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <tbb/partitioner.h>

#include <functional>

namespace {

class pagerank : public programs::pagerank_data {
 public:
  using pagerank_data::pagerank_data;

  void work() {
    using range = tbb::blocked_range<std::size_t>;
    tbb::affinity_partitioner sharing, pulling;
    for (int step = 0; step < steps; ++step) {
      double const dangling = tbb::parallel_reduce(
          range(0, size()), 0.0, [this](range const& r, double sum) { return sum + share_out(r.begin(), r.end()); },
          std::plus<>(), sharing);
      double const change = tbb::parallel_reduce(
          range(0, size()), 0.0, [&](range const& r, double sum) { return sum + pull(r.begin(), r.end(), dangling); },
          std::plus<>(), pulling);
      next(change);
    }
  }
};

}  // namespace

int main(int argc, char** argv) { return programs::tbb_main<pagerank>(argc, argv); }
