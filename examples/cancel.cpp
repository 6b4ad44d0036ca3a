// SPDX-License-Identifier: Apache-2.0
// Cancellation and exceptions: a search that stops all of its tasks at the first find, and an exception that leaves
// the loop at the place where the caller waits.
#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <vector>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_group.h>

using range = tbb::blocked_range<std::size_t>;

// Index of some element with the value; the number of elements if there is none.
std::size_t find(std::vector<int> const& values, int wanted) {
  std::atomic<std::size_t> found{values.size()};
  tbb::task_group_context context;
  tbb::parallel_for(
      range(0, values.size(), 1000),
      [&](range const& r) {
        for (std::size_t i = r.begin(); i != r.end(); ++i) {
          if (values[i] == wanted) {
            found = i;
            context.cancel_group_execution();
            return;
          }
        }
      },
      tbb::simple_partitioner(), context);
  return found;
}

int main() {
  std::vector<int> values(10000000, 0);
  values[7654321] = 42;
  std::size_t const place = find(values, 42);
  std::size_t const nowhere = find(values, 43);
  std::printf("42 found at %zu, 43 %s\n", place, nowhere == values.size() ? "nowhere" : "WRONGLY");

  bool caught = false;
  try {
    tbb::parallel_for(0, 1000, [](int i) {
      if (i == 500) {
        throw std::runtime_error("number 500 is not wanted");
      }
    });
  } catch (std::runtime_error const& e) {
    caught = true;
    std::printf("caught: %s\n", e.what());
  }
  return place == 7654321 && nowhere == values.size() && caught ? 0 : 1;
}
