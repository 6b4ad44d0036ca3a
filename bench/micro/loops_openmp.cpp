// SPDX-License-Identifier: Apache-2.0
// The loop measurements with OpenMP; loops.h has them. The grains are chunks of exactly 100, taken one by one; the
// default schedule is static, written out so that a body gets its chunk at once.
#include <omp.h>

#include "loops.h"

namespace {

struct library {
  template <typename F>
  static int with_threads(int n, F f) {
    omp_set_num_threads(n);
    return f();
  }
  template <typename Body>
  static void in_grains(int n, Body body) {
    constexpr int grain = 100;
#pragma omp parallel for schedule(dynamic, 1)
    for (int first = 0; first < n; first += grain) {
      body(first, n - first < grain ? n : first + grain);
    }
  }
  template <typename Body>
  static void as_usual(int n, Body body) {
#pragma omp parallel
    {
      int const k = omp_get_thread_num(), threads = omp_get_num_threads();
      body(n * k / threads, n * (k + 1) / threads);
    }
  }
};

}  // namespace

int main(int argc, char** argv) { return bench::loops_main<library>(argc, argv); }
