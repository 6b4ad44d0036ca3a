// SPDX-License-Identifier: Apache-2.0
// Threads that begin and end, and processes that fork, in a random program.
#include "program.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <sys/wait.h>
#include <unistd.h>

#include <thread>

namespace soak {

namespace {

// One thread for each step of the body, all at the same time.
void threads(step const& s, place const& where) {
  std::vector<std::thread> others;
  for (step const& one : s.body) others.emplace_back([&] { take(one, where); });
  for (std::thread& t : others) t.join();
}

[[noreturn]] void be_the_child() {
  alarm(120);
  int result = 1;
  std::thread other([&] {
    std::atomic<int> sum{0};
    tbb::parallel_for(0, 100, [&](int i) { sum += i; });
    tbb::task_arena arena(2);
    std::atomic<bool> done{false};
    arena.enqueue([&] { done = true; });
    while (!done) std::this_thread::yield();
    result = sum == 4950 ? 0 : 1;
  });
  other.join();
  _exit(result);
}

void fork_child(step const&, place const& where) {
#if !ASHLAR_TSAN
  pid_t const child = fork();
  if (child == 0) be_the_child();
  int status = 0;
  pid_t reaped;
  while ((reaped = waitpid(child, &status, 0)) < 0 && errno == EINTR) {
  }
  if (reaped != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) where.book.fail("fork: the child failed");
#else
  static_cast<void>(where);
#endif
}

void work(step const& s, place const& where) {
  std::atomic<unsigned> spun{0};
  for (int i = 0; i < s.n; ++i) ++spun;
  where.book.expect(spun == static_cast<unsigned>(s.n), "work: miscounted");
}

}  // namespace

void add_system(std::map<std::string, action, std::less<>>& table) {
  table.insert({{"threads", threads}, {"fork", fork_child}, {"work", work}});
}

}  // namespace soak
