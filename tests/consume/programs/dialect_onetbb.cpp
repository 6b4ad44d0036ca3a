// SPDX-License-Identifier: Apache-2.0
// oneTBB's filters beside the classic ones of the two other files.
#include <tbb/tbb.h>

#include <atomic>

int count_classic();
int count_by_header();

int main() {
  std::atomic<int> sum{0};
  int made = 0;
  tbb::filter<void, int> first(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
    if (made == 30) control.stop();
    return made++;
  });
  tbb::filter<int, void> second(tbb::filter_mode::parallel, [&](int) { sum++; });
  tbb::parallel_pipeline(4, first & second);
  return sum == 30 && count_classic() == 10 && count_by_header() == 20 ? 0 : 1;
}
