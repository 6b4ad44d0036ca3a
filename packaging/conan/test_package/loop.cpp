// SPDX-License-Identifier: Apache-2.0
// Tutorial, step 1: a loop over indices.
#include <tbb/parallel_for.h>
#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  std::vector<double> roots(1000000);
  tbb::parallel_for(std::size_t(0), roots.size(), [&](std::size_t i) { roots[i] = std::sqrt(double(i)); });
  std::printf("the root of 625 is %g\n", roots[625]);
  return roots[625] == 25 ? 0 : 1;
}
