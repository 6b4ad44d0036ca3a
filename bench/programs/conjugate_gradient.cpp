// SPDX-License-Identifier: Apache-2.0
// The conjugate gradient method: three short parallel loops a step, two of them with sums, rows shared out statically.
#include "conjugate_gradient.h"

#include "common/tbb_program.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/partitioner.h>

#include <functional>

namespace {

class conjugate_gradient : public programs::conjugate_gradient_data {
 public:
  using conjugate_gradient_data::conjugate_gradient_data;

  void work() {
    using range = tbb::blocked_range<std::size_t>;
    range const rows(0, size());
    double old = start();
    for (int step = 0; step < steps; ++step) {
      double const pq = tbb::parallel_reduce(
          rows, 0.0, [this](range const& r, double sum) { return sum + multiply(r.begin(), r.end()); }, std::plus<>(),
          tbb::static_partitioner());
      double const alpha = old / pq;
      double const fresh = tbb::parallel_reduce(
          rows, 0.0, [&](range const& r, double sum) { return sum + advance(r.begin(), r.end(), alpha); },
          std::plus<>(), tbb::static_partitioner());
      tbb::parallel_for(
          rows, [&](range const& r) { turn(r.begin(), r.end(), fresh / old); }, tbb::static_partitioner());
      old = fresh;
    }
    finish(old);
  }
};

}  // namespace

int main(int argc, char** argv) { return programs::tbb_main<conjugate_gradient>(argc, argv); }
