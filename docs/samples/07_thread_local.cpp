// SPDX-License-Identifier: Apache-2.0
// Tutorial, step 7: an object for each thread instead of one with a lock.
#include <tbb/combinable.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <cstdio>
#include <functional>
#include <vector>

int main() {
  tbb::combinable<long> sum([] { return 0L; });
  tbb::enumerable_thread_specific<std::vector<int>> squares;
  tbb::parallel_for(0, 10000, [&](int i) {
    sum.local() += i;
    if (i % 100 == 0) squares.local().push_back(i * i);
  });
  std::size_t kept = 0;
  for (std::vector<int> const& of_one_thread : squares) kept += of_one_thread.size();
  long const total = sum.combine(std::plus<>());
  std::printf("sum %ld, %zu squares\n", total, kept);
  return total == 49995000 && kept == 100 ? 0 : 1;
}
