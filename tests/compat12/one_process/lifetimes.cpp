// SPDX-License-Identifier: Apache-2.0
// A program compiled with oneTBB's headers whose static objects use the library as they are made and destroyed, that
// forks, finalizes, and ends while workers and threads of its own are busy.
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <sys/wait.h>
#include <unistd.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

static long count() {
  std::atomic<long> n{0};
  tbb::parallel_for(0, 1000, [&](int) { ++n; });
  return n;
}

struct user {
  long const made = count();
  tbb::task_group group;
  ~user() {
    std::atomic<long> n{0};
    for (int i = 0; i < 100; ++i) group.run([&] { ++n; });
    group.wait();
    if (made != 1000 || n != 100 || count() != 1000) std::_Exit(3);
    std::puts("static object: good");
    std::fflush(stdout);
  }
};
static user first;

static int child_of(int depth) {
  std::fflush(stdout);
  pid_t const child = fork();
  if (child == 0) {
    bool good = count() == 1000;
    if (depth > 0) good = good && child_of(depth - 1) == 0;
    std::_Exit(good ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  return status;
}

int main() {
  std::printf("child: %d\n", child_of(1));
  tbb::task_scheduler_handle handle{tbb::attach{}};
  count();
  std::printf("finalized: %d\n", tbb::finalize(handle, std::nothrow));
  std::printf("child after finalize: %d\n", child_of(0));
  std::printf("after finalize: %ld\n", count());
  // As numba does: finalize, fork, begin anew in both.
  tbb::task_scheduler_handle second{tbb::attach{}};
  std::printf("finalized again: %d\n", tbb::finalize(second, std::nothrow));
  for (int i = 0; i < 20; ++i) std::thread([] { count(); }).join();
  static tbb::task_arena forever(2);
  for (int i = 0; i < 4; ++i) {
    forever.enqueue([] {
      for (;;) usleep(1000);
    });
  }
  std::puts("ends");
}
