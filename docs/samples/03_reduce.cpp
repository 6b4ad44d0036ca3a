// SPDX-License-Identifier: Apache-2.0
// Tutorial, step 3: a sum, and the same sum with the same rounding every time.
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <cstdio>
#include <functional>

using range = tbb::blocked_range<long>;

int main() {
  auto const part = [](range const& r, double sum) {
    for (long i = r.begin(); i != r.end(); ++i) sum += 1.0 / double(i * i);
    return sum;
  };
  double const once = tbb::parallel_reduce(range(1, 1000001), 0.0, part, std::plus<>());
  double const exact = tbb::parallel_deterministic_reduce(range(1, 1000001, 1000), 0.0, part, std::plus<>());
  double const again = tbb::parallel_deterministic_reduce(range(1, 1000001, 1000), 0.0, part, std::plus<>());
  std::printf("pi squared / 6 = %.6f\n", once);
  return once > 1.6449 && once < 1.6450 && exact == again ? 0 : 1;
}
