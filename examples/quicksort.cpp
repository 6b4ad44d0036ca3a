// SPDX-License-Identifier: Apache-2.0
// parallel_invoke: the two halves of a quicksort may run at once. Small halves are not worth a task.
#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

#include <tbb/parallel_invoke.h>

using iterator = std::vector<int>::iterator;

void sort(iterator first, iterator last) {
  if (last - first < 1000) {
    std::sort(first, last);
    return;
  }
  int const pivot = first[(last - first) / 2];
  iterator const low = std::partition(first, last, [pivot](int v) { return v < pivot; });
  iterator const high = std::partition(low, last, [pivot](int v) { return v == pivot; });
  tbb::parallel_invoke([=] { sort(first, low); }, [=] { sort(high, last); });
}

int main() {
  std::vector<int> numbers(1000000);
  std::mt19937 random(1);
  std::generate(numbers.begin(), numbers.end(), [&] { return static_cast<int>(random() >> 1); });
  std::vector<int> expected = numbers;
  std::sort(expected.begin(), expected.end());
  sort(numbers.begin(), numbers.end());
  bool const sorted = numbers == expected;
  std::printf("%zu numbers: %s\n", numbers.size(), sorted ? "sorted" : "NOT SORTED");
  return sorted ? 0 : 1;
}
