// SPDX-License-Identifier: Apache-2.0
#include <tbb/tbb.h>

#include <atomic>

int sum_in_b(int n);

int sum_in_b(int n) {
  std::atomic<int> sum{0};
  tbb::parallel_for(0, n, [&](int i) { sum += i; });
  return sum;
}
