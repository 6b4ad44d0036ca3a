// SPDX-License-Identifier: Apache-2.0
// parallel_reduce: pi as the integral of 4 / (1 + x^2) over [0, 1].
#include <cmath>
#include <cstdio>

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

int main() {
  int const steps = 10000000;
  double const width = 1.0 / steps;
  double const sum = tbb::parallel_reduce(
      tbb::blocked_range<int>(0, steps), 0.0,
      [width](tbb::blocked_range<int> const& r, double partial) {
        for (int i = r.begin(); i != r.end(); ++i) {
          double const x = (i + 0.5) * width;
          partial += 4.0 / (1.0 + x * x);
        }
        return partial;
      },
      [](double a, double b) { return a + b; });
  double const pi = sum * width;
  std::printf("pi = %.12f\n", pi);
  return std::fabs(pi - 3.14159265358979) < 1e-10 ? 0 : 1;
}
