// SPDX-License-Identifier: Apache-2.0
// Tutorial, step 2: a loop over a range of two dimensions, which is split into tiles.
#include <tbb/blocked_range2d.h>
#include <tbb/parallel_for.h>
#include <cstdio>
#include <vector>

int main() {
  int const n = 1000;
  std::vector<int> from(n * n), to(n * n);
  for (int i = 0; i < n * n; ++i) from[i] = i;
  tbb::parallel_for(tbb::blocked_range2d<int>(0, n, 0, n), [&](tbb::blocked_range2d<int> const& tile) {
    for (int row = tile.rows().begin(); row != tile.rows().end(); ++row)
      for (int column = tile.cols().begin(); column != tile.cols().end(); ++column)
        to[column * n + row] = from[row * n + column];
  });
  std::printf("row 3, column 7: %d\n", to[7 * n + 3]);
  return to[7 * n + 3] == 3 * n + 7 ? 0 : 1;
}
