// SPDX-License-Identifier: Apache-2.0
// Tutorial, step 5: sorting, and sums of all that came before.
#include <tbb/blocked_range.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

int main() {
  std::vector<unsigned> values(1000000);
  for (unsigned i = 0; i < values.size(); ++i) values[i] = (i * 2654435761u) >> 20;
  tbb::parallel_sort(values);

  std::vector<long> sums(values.size());
  using range = tbb::blocked_range<std::size_t>;
  long const total = tbb::parallel_scan(
      range(0, values.size()), 0L,
      [&](range const& r, long sum, bool final) {
        for (std::size_t i = r.begin(); i != r.end(); ++i) {
          sum += values[i];
          if (final) sums[i] = sum;
        }
        return sum;
      },
      std::plus<>());
  std::printf("the sum of all is %ld\n", total);
  return std::is_sorted(values.begin(), values.end()) && sums.back() == total ? 0 : 1;
}
