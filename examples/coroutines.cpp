// SPDX-License-Identifier: Apache-2.0
// Coroutines as tasks (C++20): each step of a merge sort awaits the sorting of its halves, and no thread blocks for it.
#include <algorithm>
#include <cstdio>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <tbb/coroutine.h>
#include <tbb/task_group.h>

// Pages: tbb::co_task, tbb::co_run, tbb::co_wait
tbb::co_task<> merge_sort(std::span<int> values) {
  if (values.size() < 10000) {
    std::sort(values.begin(), values.end());
    co_return;
  }
  auto const [left, right] = std::pair(values.first(values.size() / 2), values.subspan(values.size() / 2));
  tbb::task_group half;
  tbb::co_run(half, merge_sort(left));  // another thread may take it
  co_await merge_sort(right);           // this one goes on with it
  co_await half;                        // rethrows what left the other half
  std::inplace_merge(values.begin(), right.begin(), values.end());
}

// The order of two tasks: the second one counts what the first has filled.
// Pages: tbb::completion_awaiter, tbb::handle_awaiter
tbb::co_task<int> ordered() {
  tbb::task_group group;
  int filled = 0;
  if (co_await group.defer([&] { filled = 21; }) != tbb::task_complete) co_return 0;
  co_await group.defer([&] { filled *= 2; });
  co_await group;
  co_return filled;
}

int main() {
  std::vector<int> values(1000000);
  std::minstd_rand random;
  for (int& v : values) v = static_cast<int>(random());
  tbb::co_wait(merge_sort(values));
  bool const sorted = std::is_sorted(values.begin(), values.end());
  int const answer = tbb::co_wait(ordered());
  std::printf("%zu numbers %s, answer %d\n", values.size(), sorted ? "sorted" : "NOT SORTED", answer);
  return sorted && answer == 42 ? 0 : 1;
}
