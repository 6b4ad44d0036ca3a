// SPDX-License-Identifier: Apache-2.0
// parallel_for over a two-dimensional range: the cost of a point varies from 1 to 1000 steps, and the tiles that
// idle threads steal even it out.
#include <complex>
#include <cstdio>
#include <string>
#include <vector>

#include <tbb/blocked_range2d.h>
#include <tbb/parallel_for.h>

constexpr int width = 78, height = 31, limit = 1000;

int steps_at(int row, int column) {
  std::complex<double> const c(-2.2 + 3.2 * column / width, -1.25 + 2.5 * row / (height - 1));
  std::complex<double> z;
  int n = 0;
  while (n < limit && std::norm(z) < 4) {
    z = z * z + c;
    ++n;
  }
  return n;
}

int main() {
  using range = tbb::blocked_range2d<int>;
  std::vector<int> steps(width * height);
  tbb::parallel_for(range(0, height, 0, width), [&steps](range const& r) {
    for (int row = r.rows().begin(); row != r.rows().end(); ++row) {
      for (int column = r.cols().begin(); column != r.cols().end(); ++column) {
        steps[row * width + column] = steps_at(row, column);
      }
    }
  });
  int inside = 0;
  for (int row = 0; row < height; ++row) {
    std::string line;
    for (int column = 0; column < width; ++column) {
      int const n = steps[row * width + column];
      inside += n == limit;
      line += n == limit ? '@' : n > 30 ? '*' : n > 10 ? '+' : n > 5 ? '.' : ' ';
    }
    std::puts(line.c_str());
  }
  bool const symmetric = steps[5 * width + 40] == steps[(height - 6) * width + 40];
  return inside > 300 && symmetric ? 0 : 1;
}
