// SPDX-License-Identifier: Apache-2.0
// Page rank with OpenMP: loops over chunks of pages, the pulls scheduled dynamically because degrees differ.
#include "pagerank.h"

#include "common/openmp_program.h"

#include <algorithm>

namespace {

class pagerank : public programs::pagerank_data {
 public:
  using pagerank_data::pagerank_data;

  void work() {
    constexpr std::size_t chunk = 512;
    std::size_t const chunks = (size() + chunk - 1) / chunk;
    for (int step = 0; step < steps; ++step) {
      double dangling = 0, change = 0;
#pragma omp parallel for schedule(static) reduction(+ : dangling)
      for (std::size_t i = 0; i < chunks; ++i) dangling += share_out(i * chunk, std::min(size(), (i + 1) * chunk));
#pragma omp parallel for schedule(dynamic) reduction(+ : change)
      for (std::size_t i = 0; i < chunks; ++i) change += pull(i * chunk, std::min(size(), (i + 1) * chunk), dangling);
      next(change);
    }
  }
};

}  // namespace

int main(int argc, char** argv) { return programs::openmp_main<pagerank>(argc, argv); }
