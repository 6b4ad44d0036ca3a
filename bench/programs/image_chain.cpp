// SPDX-License-Identifier: Apache-2.0
// A chain of image filters: a parallel_for over tiles for each, with a simple_partitioner.
#include "image_chain.h"

#include "common/tbb_program.h"

#include <tbb/blocked_range2d.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

namespace {

class image_chain : public programs::image_chain_data {
 public:
  using image_chain_data::image_chain_data;

  void work() {
    using range = tbb::blocked_range2d<int>;
    for (int filter = 0; filter < filters; ++filter) {
      tbb::parallel_for(
          range(0, height(), 32, 0, width(), 128),
          [&](range const& r) { apply(filter, r.rows().begin(), r.rows().end(), r.cols().begin(), r.cols().end()); },
          tbb::simple_partitioner());
    }
  }
};

}  // namespace

int main(int argc, char** argv) { return programs::tbb_main<image_chain>(argc, argv); }
