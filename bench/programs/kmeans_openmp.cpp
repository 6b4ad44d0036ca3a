// SPDX-License-Identifier: Apache-2.0
// Lloyd's clustering with OpenMP: a static loop, the threads' sums added one after the other.
#include "kmeans.h"

#include "common/openmp_program.h"

namespace {

class kmeans : public programs::kmeans_data {
 public:
  using kmeans_data::kmeans_data;

  void work() {
    constexpr std::size_t chunk = 256;
    for (int step = 0; step < steps; ++step) {
      sums all;
      std::size_t const chunks = (size() + chunk - 1) / chunk;
#pragma omp parallel
      {
        sums mine;
#pragma omp for schedule(static)
        for (std::size_t i = 0; i < chunks; ++i) assign(i * chunk, i + 1 == chunks ? size() : (i + 1) * chunk, mine);
#pragma omp critical
        all.add(mine);
      }
      move_centres(all);
    }
  }
};

}  // namespace

int main(int argc, char** argv) { return programs::openmp_main<kmeans>(argc, argv); }
