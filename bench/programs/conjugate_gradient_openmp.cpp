// SPDX-License-Identifier: Apache-2.0
// The conjugate gradient method with OpenMP: static loops over chunks of rows.
#include "conjugate_gradient.h"

#include "common/openmp_program.h"

#include <algorithm>

namespace {

class conjugate_gradient : public programs::conjugate_gradient_data {
 public:
  using conjugate_gradient_data::conjugate_gradient_data;

  void work() {
    constexpr std::size_t chunk = 1024;
    std::size_t const chunks = (size() + chunk - 1) / chunk;
    double old = start();
    for (int step = 0; step < steps; ++step) {
      double pq = 0, fresh = 0;
#pragma omp parallel for schedule(static) reduction(+ : pq)
      for (std::size_t i = 0; i < chunks; ++i) pq += multiply(i * chunk, std::min(size(), (i + 1) * chunk));
      double const alpha = old / pq;
#pragma omp parallel for schedule(static) reduction(+ : fresh)
      for (std::size_t i = 0; i < chunks; ++i) fresh += advance(i * chunk, std::min(size(), (i + 1) * chunk), alpha);
#pragma omp parallel for schedule(static)
      for (std::size_t i = 0; i < chunks; ++i) turn(i * chunk, std::min(size(), (i + 1) * chunk), fresh / old);
      old = fresh;
    }
    finish(old);
  }
};

}  // namespace

int main(int argc, char** argv) { return programs::openmp_main<conjugate_gradient>(argc, argv); }
