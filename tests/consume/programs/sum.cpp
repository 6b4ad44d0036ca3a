// SPDX-License-Identifier: Apache-2.0
// The smallest program that uses the headers, the library and the version function.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/version.h>

#include <atomic>
#include <cstdio>

int main() {
  std::atomic<long> sum{0};
  tbb::parallel_for(tbb::blocked_range<int>(0, 100000), [&](tbb::blocked_range<int> const& range) {
    long part = 0;
    for (int i = range.begin(); i != range.end(); ++i) {
      part += i;
    }
    sum += part;
  });
  std::printf("sum %ld version %d\n", sum.load(), TBB_runtime_interface_version());
  return sum == 4999950000L && TBB_runtime_interface_version() == TBB_INTERFACE_VERSION ? 0 : 1;
}
