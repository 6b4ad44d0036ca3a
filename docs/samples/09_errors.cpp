// SPDX-License-Identifier: Apache-2.0
// Tutorial, step 9: exceptions come out where the program waits; a group can be cancelled without one.
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>
#include <atomic>
#include <cstdio>
#include <stdexcept>

int main() {
  bool caught = false;
  try {
    tbb::parallel_for(0, 1000, [](int i) {
      if (i == 500) throw std::runtime_error("500 is not wanted");
    });
  } catch (std::runtime_error const& e) {
    caught = true;
    std::printf("caught: %s\n", e.what());
  }

  std::atomic<int> found{-1};
  tbb::task_group group;
  for (int part = 0; part < 100; ++part) {
    group.run([&found, &group, part] {
      if (part == 42) {
        found = part;
        group.cancel();  // tasks that have not begun are dropped
      }
    });
  }
  tbb::task_group_status const status = group.wait();
  return caught && (status == tbb::canceled) == (found == 42) ? 0 : 1;
}
