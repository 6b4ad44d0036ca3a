// SPDX-License-Identifier: Apache-2.0
// The idle and wake measurements with OpenMP; idle.h has them.
#include <omp.h>

#include "idle.h"

namespace {

struct library {
  template <typename F>
  static int with_threads(int n, F f) {
    omp_set_num_threads(n);
    return f();
  }
  template <typename Body>
  static void two_items(Body body) {
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < 2; ++i) {
      body();
    }
  }
  template <typename Body>
  static void region(int n, Body body) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; ++i) {
      body(i, i + 1);
    }
  }
};

}  // namespace

int main(int argc, char** argv) { return bench::idle_main<library>(argc, argv); }
