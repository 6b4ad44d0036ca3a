// SPDX-License-Identifier: Apache-2.0
// A thread that has never allocated forks beside threads that allocate while they hold locks of the scheduler. The
// process and its children go on.
#include <tbb/cache_aligned_allocator.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

int sum_of_loop() {
  std::atomic<int> sum{0};
  tbb::parallel_for(0, 100, [&](int i) { sum += i; });
  return sum;
}

bool child_works() {
  pid_t const child = fork();
  if (child == 0) {
    alarm(60);
    _exit(sum_of_loop() == 4950 ? 0 : 1);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

int main() {
  alarm(300);
  std::vector<int, tbb::cache_aligned_allocator<int>> const before(100);
  std::atomic<bool> over{false};
  std::thread other([&] {
    while (!over) {
      tbb::task_arena arena(2);
      arena.execute([] { sum_of_loop(); });
    }
  });
  bool good = before.size() == 100 && sum_of_loop() == 4950;
  for (int i = 0; i < 20; ++i) {
    std::thread([&] { good = child_works() && good; }).join();
  }
  over = true;
  other.join();
  std::puts(good ? "every child works" : "a child failed");
  return good ? 0 : 1;
}
