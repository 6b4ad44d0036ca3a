// SPDX-License-Identifier: Apache-2.0
// A program of the C++20 module.
#include <cstdio>
import tbb;

int main() {
  tbb::concurrent_vector<int> found;
  tbb::task_group group;
  group.run([&] { found.push_back(1); });
  group.wait();
  int const sum = oneapi::tbb::parallel_reduce(
      tbb::blocked_range<int>(0, 100), 0, [](auto const& part, int so_far) { return so_far + int(part.size()); },
      [](int a, int b) { return a + b; });
  int items = 0, passed = 0;
  tbb::parallel_pipeline(
      4, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
           if (items == 10) control.stop();
           return items++;
         }) & tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order, [&](int item) { passed += item; }));
  std::printf("%d %d %d\n", sum, passed, int(found.size()));
  return sum == 100 && passed == 45 && found == tbb::concurrent_vector<int>{1} ? 0 : 1;
}
