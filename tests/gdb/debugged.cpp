// SPDX-License-Identifier: Apache-2.0
// What the debugger looks at (run.py): containers with known contents, a worker that blocks while the main thread
// waits, and a thread that blocks in a loop of its own.
#include "sched/core/statistics.h"
#include "sched/core/thread_data.h"
#include "sched/market/market.h"
#include "support/thread_team.h"

#include <ashlar/sched/report/hang_report.h>

#include <tbb/blocked_range.h>
#include <tbb/blocked_range2d.h>
#include <tbb/combinable.h>
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_set.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_unordered_set.h>
#include <tbb/concurrent_vector.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <thread>

namespace {

std::atomic<bool> begun{false}, looping{false};

void block_in_task() {
  begun = true;
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

// A body that runs in the call of the thread that has begun the loop.
void block_in_loop() {
  tbb::parallel_for(0, 1, [](int) {
    looping = true;
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  });
}

// Has the types of the scheduler in this program's debug information.
bool scheduler_is_used() {
  using namespace ashlar::sched;  // NOLINT
  return market::get().members().has_users() &&
         statistics::get().any_thread([](thread_data const& t) { return t.tid.load(ashlar::mo::relaxed) != 0; });
}

}  // namespace

int main(int count, char**) {
  test::thread_team const two(2);
  ashlar::sched::watch_for_hangs(86400000);
  tbb::concurrent_vector<int> vector;
  for (int i = 0; i < 10; ++i) vector.push_back(100 + i);
  tbb::concurrent_hash_map<int, int> hash;
  hash.insert({7, 49});
  tbb::concurrent_unordered_map<int, int> unordered;
  unordered.insert({3, 9});
  tbb::concurrent_unordered_multiset<int> several;
  for (int i = 0; i < 3; ++i) several.insert(5);
  tbb::concurrent_map<int, int> ordered;
  for (int i = 3; i > 0; --i) ordered.insert({i, i * i});
  tbb::concurrent_set<int> set;
  set.insert(8);
  tbb::enumerable_thread_specific<int> own;
  own.local() = 41;
  tbb::combinable<int> combined;
  combined.local() = 42;
  tbb::blocked_range<int> range(2, 90, 4);
  tbb::blocked_range2d<int> plane(0, 5, 6, 9);
  tbb::task_group_context context;
  context.cancel_group_execution();
  scheduler_is_used();
  tbb::task_group group;
  group.run([] { block_in_task(); });
  while (!begun) std::this_thread::yield();
  std::thread(block_in_loop).detach();
  while (!looping) std::this_thread::yield();
  std::thread([&group] {
    // The main thread waits, or is about to: what the debugger sees of it, it sees of a thread that is stuck.
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    std::raise(SIGABRT);
  }).detach();
  group.wait();
  return count;
}
