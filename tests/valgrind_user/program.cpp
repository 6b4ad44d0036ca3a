// SPDX-License-Identifier: Apache-2.0
// For Helgrind and DRD: plain data that goes through tasks ("correct"), and a race of the program's own threads beside
// tasks ("racy"), which has to be found although the suppressions are on.
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_group.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

namespace {

constexpr int n = 400;

struct result {
  int value = 0;
  std::thread::id by;
};

// Runs a group of tasks until two threads have shared one. Valgrind runs one thread at a time, and may leave each loop
// of 'tasks' to the main thread, where no tool would have anything to look at. The bodies sleep, so that the turn
// changes.
bool by_two_threads(int value) {
  for (;;) {
    std::vector<result> results(20);
    tbb::task_group group;
    for (result& r : results) {
      group.run([&r, value] {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        r = {value, std::this_thread::get_id()};
      });
    }
    group.wait();
    bool shared = false;
    for (result const& r : results) {
      if (r.value != value) return false;
      shared = shared || r.by != results.front().by;
    }
    if (shared) return true;
  }
}

bool tasks() {
  std::vector<int> a(n);
  tbb::parallel_for(0, n, [&](int i) { a[static_cast<std::size_t>(i)] = i; });
  int sum = 0;
  for (int x : a) sum += x;
  long const other = tbb::parallel_reduce(
      tbb::blocked_range<int>(0, n, 10), 0L,
      [&](tbb::blocked_range<int> const& r, long x) {
        for (int i = r.begin(); i < r.end(); ++i) x += a[static_cast<std::size_t>(i)];
        return x;
      },
      std::plus<>());
  int left = 0, right = 0;
  tbb::parallel_invoke([&] { left = sum; }, [&] { right = sum; });
  return sum == other && left == right && by_two_threads(sum);
}

int counter = 0;  // of both threads, unprotected

void count() {
  for (int i = 0; i < 100; ++i) counter = counter + 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (!tasks()) return 1;
  if (argc < 2 || std::strcmp(argv[1], "racy") != 0) return 0;
  std::thread other(count);
  count();
  other.join();
  return counter == 0;
}
