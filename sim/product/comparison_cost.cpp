// SPDX-License-Identifier: Apache-2.0
// What a comparison that counts itself takes in a sort, for predict.py: a serial sort by the standard library of as
// many numbers as bench/threads/algorithms.h sorts, without a scheduler and without sleeps. Prints the median of nine
// runs in nanoseconds of processor time, where n numbers count n log2(n) comparisons, as the row's ideal does.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <random>
#include <vector>

namespace {

// Nanoseconds of processor time, so that other processes hardly matter.
double computed() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

// Where the row's comparison sleeps.
[[gnu::noinline]] void do_not_sleep() { __asm__ volatile(""); }

}  // namespace

int main() {
  constexpr int n = 50'000, runs = 9;
  constexpr long apart = 3000;
  static thread_local long compared = 0;
  std::mt19937 source(1);
  std::vector<double> found;
  for (int i = 0; i < runs; ++i) {
    std::vector<unsigned> items(n);
    for (unsigned& item : items) item = static_cast<unsigned>(source());
    double const begin = computed();
    std::sort(items.begin(), items.end(), [](unsigned a, unsigned b) {
      if (++compared % apart == 0) do_not_sleep();
      return a < b;
    });
    double const took = computed() - begin;
    if (!std::is_sorted(items.begin(), items.end())) return 1;
    found.push_back(took / (n * std::log2(n)));
  }
  std::sort(found.begin(), found.end());
  std::printf("%.1f\n", found[runs / 2]);
}
