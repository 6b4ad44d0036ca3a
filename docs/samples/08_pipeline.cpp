// SPDX-License-Identifier: Apache-2.0
// Tutorial, step 8: an assembly line; what it reads and writes stays in order.
#include <tbb/parallel_pipeline.h>
#include <cstdio>
#include <vector>

int main() {
  int next = 0;
  std::vector<long> out;
  tbb::parallel_pipeline(
      16,  // at most 16 items are under way
      tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                  [&](tbb::flow_control& control) {
                                    if (next == 1000) control.stop();
                                    return next++;
                                  }) &
          tbb::make_filter<int, long>(tbb::filter_mode::parallel, [](int i) { return long(i) * i; }) &
          tbb::make_filter<long, void>(tbb::filter_mode::serial_in_order, [&](long square) { out.push_back(square); }));
  std::printf("%zu items, the last is %ld\n", out.size(), out.back());
  return out.size() == 1000 && out[31] == 961 ? 0 : 1;
}
