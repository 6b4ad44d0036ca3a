// SPDX-License-Identifier: Apache-2.0
// Programs that hang, each in its way, and three that don't: for the golden reports (run.py).
// The report is asked for, not the assertion.
#undef TBB_USE_ASSERT
#define TBB_USE_ASSERT 0
#include <ashlar/sched/report/hang_report.h>

#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_queue.h>
#include <tbb/global_control.h>
#include <tbb/mutex.h>
#include <tbb/parallel_for.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <semaphore>
#include <thread>
#include "support/thread_team.h"

namespace {

std::atomic<bool> begun{false};

void wait_until(std::atomic<bool> const& flag) {
  while (!flag.load()) std::this_thread::yield();
}

// The task, which tells that it has begun, runs in a worker, and the calling thread waits for it.
template <typename Task>
void run_elsewhere(Task const& task) {
  tbb::task_group group;
  group.run(task);
  wait_until(begun);
  group.wait();
}

void pop_from_empty_queue() {
  tbb::concurrent_bounded_queue<int> queue;
  run_elsewhere([&queue] {
    begun = true;
    int element;
    queue.pop(element);
  });
}

void second_accessor_on_the_same_key() {
  tbb::concurrent_hash_map<int, int> map;
  run_elsewhere([&map] {
    begun = true;
    tbb::concurrent_hash_map<int, int>::accessor first, second;
    map.insert(first, 1);
    map.find(second, 1);
  });
}

void lock_that_the_waiter_holds() {
  std::mutex lock;
  std::lock_guard const guard(lock);
  run_elsewhere([&lock] {
    begun = true;
    std::lock_guard const second(lock);
  });
}

void own_lock_that_the_waiter_holds() {
  tbb::mutex lock;
  tbb::mutex::scoped_lock const guard(lock);
  run_elsewhere([&lock] {
    begun = true;
    tbb::mutex::scoped_lock const second(lock);
  });
}

void condition_that_nobody_signals() {
  std::mutex lock;
  std::condition_variable changed;
  bool ready = false;
  run_elsewhere([&] {
    begun = true;
    std::unique_lock guard(lock);
    changed.wait(guard, [&ready] { return ready; });
  });
}

void flag_that_nobody_sets() {
  std::atomic<bool> flag{false};
  run_elsewhere([&flag] {
    begun = true;
    while (!flag.load(std::memory_order_relaxed)) {
    }
  });
}

void read_from_empty_pipe() {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  run_elsewhere([&ends] {
    begun = true;
    char byte;
    if (read(ends[0], &byte, 1) == 1) std::abort();
  });
}

// The thread may not take the group's task, which is not of the region, and no other one finds a slot.
void wait_in_isolated_region() {
  tbb::task_arena full(1, 0);
  full.execute([] {
    tbb::task_group group;
    group.run([] { std::abort(); });
    tbb::this_task_arena::isolate([&group] { group.wait(); });
  });
}

void task_that_nobody_resumes() {
  run_elsewhere([] {
    begun = true;
    tbb::task::suspend([](tbb::task::suspend_point) {});
  });
}

void arena_without_a_slot() {
  tbb::task_arena small(1, 1);
  std::thread([&small] {
    small.execute([] {
      begun = true;
      std::binary_semaphore never{0};
      never.acquire();
    });
  }).detach();
  wait_until(begun);
  small.execute([] {});
}

// A task holds a lock while it waits for another one; meanwhile its thread takes a third task, which wants the lock.
void nested_task_that_wants_the_lock() {
  static std::binary_semaphore lock{1};
  static std::atomic<bool> nested{false};
  lock.acquire();
  tbb::task_group inner;
  inner.run([] {
    begun = true;
    wait_until(nested);
  });
  wait_until(begun);
  tbb::this_task_arena::enqueue([] {
    nested = true;
    lock.acquire();
  });
  inner.wait();
}

void more_tasks_at_a_barrier_than_threads() {
  static std::mutex lock;
  static std::condition_variable all_here;
  static int here = 0;
  tbb::task_group group;
  for (int i = 0; i < 4; ++i) {
    group.run([] {
      std::unique_lock guard(lock);
      if (++here == 4) all_here.notify_all();
      all_here.wait(guard, [] { return here == 4; });
    });
  }
  group.wait();
}

using clock = std::chrono::steady_clock;

// Computes for 3 s.
void long_task() {
  run_elsewhere([] {
    begun = true;
    auto const end = clock::now() + std::chrono::seconds(3);
    static std::atomic<unsigned long> sum{0};
    while (clock::now() < end) {
      for (unsigned i = 0; i < 1000; ++i) sum += i;
    }
  });
}

void sleeping_task() {
  run_elsewhere([] {
    begun = true;
    std::this_thread::sleep_for(std::chrono::seconds(3));
  });
}

void main_that_computes() {
  std::binary_semaphore go{0};
  tbb::task_group group;
  group.run([&go] {
    begun = true;
    go.acquire();
  });
  wait_until(begun);
  unsigned long volatile sum = 0;
  for (auto const end = clock::now() + std::chrono::seconds(3); clock::now() < end;) sum = sum + 1;
  go.release();
  group.wait();
}

struct program {
  char const* name;
  void (*run)();
};
constexpr program programs[] = {{"pop", pop_from_empty_queue},
                                {"accessor", second_accessor_on_the_same_key},
                                {"lock", lock_that_the_waiter_holds},
                                {"own_lock", own_lock_that_the_waiter_holds},
                                {"condition", condition_that_nobody_signals},
                                {"flag", flag_that_nobody_sets},
                                {"call", read_from_empty_pipe},
                                {"isolated", wait_in_isolated_region},
                                {"suspended", task_that_nobody_resumes},
                                {"slot", arena_without_a_slot},
                                {"nested", nested_task_that_wants_the_lock},
                                {"threads", more_tasks_at_a_barrier_than_threads},
                                {"not_long", long_task},
                                {"not_sleeping", sleeping_task},
                                {"not_elsewhere", main_that_computes}};

}  // namespace

// hangs NAME: runs the program. Those that end print how many hangs were reported. hangs: lists the names.
int main(int count, char** words) {
  test::thread_team const two(2);
  for (program const& p : programs) {
    if (count < 2) std::puts(p.name);
    if (count < 2 || std::strcmp(words[1], p.name) != 0) continue;
    tbb::parallel_for(0, 2, [](int) {});
    p.run();
    std::fprintf(stderr, "program: %u hangs reported\n", ashlar::sched::hangs_reported());
  }
}
