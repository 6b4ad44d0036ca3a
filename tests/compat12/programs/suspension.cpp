// SPDX-License-Identifier: Apache-2.0
// Resumable tasks.
#include "client.h"

#include <tbb/tbb.h>

#include <vector>

using namespace tbb;

int main() {
  std::atomic<long> resumed{0};
  for (int round = 0; round < 20; ++round) {
    parallel_for(0, 16, [&](int) {
      task_group_context const* const before = task::current_context();
      task::suspend([&](task::suspend_point p) { std::thread([p] { task::resume(p); }).detach(); });
      if (task::current_context() == before) ++resumed;
    });
  }
  line("resumed", resumed);
  task_group g;
  std::vector<task::suspend_point> points(8);
  std::atomic<int> waiting{0};
  for (int i = 0; i < 8; ++i) {
    g.run([&, i] {
      task::suspend([&, i](task::suspend_point p) {
        points[i] = p;
        ++waiting;
      });
      parallel_for(0, 100, [&](int) { ++resumed; });
    });
  }
  g.run([&] {
    while (waiting < 8) {
      task_group inner;
      inner.run([] {});
      inner.wait();
      std::this_thread::yield();
    }
    for (auto p : points) task::resume(p);
  });
  g.wait();
  line("resumed", resumed);
  // A point of its own for each stack.
  std::atomic<long> differ{0};
  parallel_for(0, 1, [&](int) {
    auto* const here = detail::r1::current_suspend_point();
    task::suspend([&](task::suspend_point p) {
      differ = here != nullptr;
      task::resume(p);
    });
  });
  line("points", differ);
}
