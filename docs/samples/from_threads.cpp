// SPDX-License-Identifier: Apache-2.0
// What programs with Cilk, std::thread and std::async become.
#include <tbb/collaborative_call_once.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <cstdio>
#include <future>
#include <vector>

namespace {

long walk(int depth) {  // Cilk: long left = cilk_spawn walk(depth - 1); long right = walk(depth - 1); cilk_sync;
  if (depth == 0) return 1;
  long left = 0;
  tbb::task_group group;
  group.run([&left, depth] { left = walk(depth - 1); });
  long const right = walk(depth - 1);
  group.wait();
  return left + right;
}

int ask() {  // std::async and std::future: the result comes later
  std::promise<int> answer;
  std::future<int> result = answer.get_future();
  tbb::task_arena arena;
  arena.enqueue([&answer] { answer.set_value(42); });
  return result.get();
}

std::vector<int> const& table() {  // std::call_once: threads that come meanwhile help with the loop
  static tbb::collaborative_once_flag once;
  static std::vector<int> squares(1000);
  tbb::collaborative_call_once(once, [] { tbb::parallel_for(0, 1000, [](int i) { squares[i] = i * i; }); });
  return squares;
}

void scale(std::vector<int>& values) {  // instead of a vector of std::threads with a share of the indices each
  tbb::parallel_for(std::size_t(0), values.size(), [&](std::size_t i) { values[i] *= 3; });
}

}  // namespace

int main() {
  std::vector<int> values(1000, 1);
  scale(values);
  std::printf("%ld leaves\n", walk(10));
  return walk(10) == 1024 && ask() == 42 && values[999] == 3 && table()[31] == 961 ? 0 : 1;
}
