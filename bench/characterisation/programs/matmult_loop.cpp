// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication as a parallel_for over square blocks of the result.
#include "common/library.h"
#include "common/study.h"
#include "programs/matrices.h"

#include <tbb/blocked_range2d.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include <memory>

namespace study {
namespace {

struct parameters {
  std::size_t n, block;
};
constexpr parameters sizes[] = {{64, 16}, {256, 16}, {512, 16}, {1024, 32}, {2048, 32}};

}  // namespace

problem matmult_loop(size_class s) {
  parameters const size = of(sizes, s);
  auto const m = std::make_shared<matrices>(size.n);
  problem p;
  p.serial = [m] {
    m->clear();
    m->multiply(0, m->n, 0, m->n, 0, m->n);
    m->expected = m->c;
  };
  p.tasks = [m, size] {
    m->clear();
    using blocks = tbb::blocked_range2d<std::size_t>;
    tbb::parallel_for(
        blocks(0, size.n, size.block, 0, size.n, size.block),
        [&](blocks const& r) {
          m->multiply(r.rows().begin(), r.rows().end(), r.cols().begin(), r.cols().end(), 0, size.n);
        },
        tbb::simple_partitioner());
  };
  p.right = [m] { return m->c == m->expected; };
  p.plausible = [m] { return m->is_product(); };
  return p;
}

}  // namespace study
