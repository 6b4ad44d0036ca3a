// SPDX-License-Identifier: Apache-2.0
// Histograms of an image sequence with OpenMP: a static loop an image, the threads' counts added one after the other.
#include "histogram.h"

#include "common/openmp_program.h"

#include <algorithm>

namespace {

class histogram : public programs::histogram_data {
 public:
  using histogram_data::histogram_data;

  void work() {
    constexpr std::size_t chunk = 8192;
    std::size_t const chunks = (pixels() + chunk - 1) / chunk;
    for (std::size_t image = 0; image < images; ++image) {
      counts all;
#pragma omp parallel
      {
        counts mine;
#pragma omp for schedule(static)
        for (std::size_t i = 0; i < chunks; ++i) count(image, i * chunk, std::min(pixels(), (i + 1) * chunk), mine);
#pragma omp critical
        all.add(mine);
      }
      result(image, all);
    }
  }
};

}  // namespace

int main(int argc, char** argv) { return programs::openmp_main<histogram>(argc, argv); }
