// SPDX-License-Identifier: Apache-2.0
// A chain of image filters with OpenMP: a static loop over rows for each.
#include "image_chain.h"

#include "common/openmp_program.h"

namespace {

class image_chain : public programs::image_chain_data {
 public:
  using image_chain_data::image_chain_data;

  void work() {
    for (int filter = 0; filter < filters; ++filter) {
#pragma omp parallel for schedule(static)
      for (int y = 0; y < height(); ++y) apply(filter, y, y + 1, 0, width());
    }
  }
};

}  // namespace

int main(int argc, char** argv) { return programs::openmp_main<image_chain>(argc, argv); }
