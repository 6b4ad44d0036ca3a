// SPDX-License-Identifier: Apache-2.0
// random_cycles SEED: a random program (support/random_waits.h) of which, at a random step, tasks come to wait for each
// other. It prints "cycle: KIND" before it does, and hangs. random_cycles.py looks at the report.
#undef TBB_USE_ASSERT
#define TBB_USE_ASSERT 0
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_queue.h>
#include <tbb/spin_mutex.h>

#include <support/random_waits.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <semaphore>
#include <string>

namespace {

using test::random_waits::dice;

// The task runs wherever it may, and the calling thread waits for it.
template <typename Task>
void wait_for_task(Task const& task) {
  tbb::task_group group;
  group.run(task);
  group.wait();
}

void cycle_lock() {
  std::mutex lock;
  std::lock_guard const guard(lock);
  wait_for_task([&lock] { std::lock_guard const second(lock); });
}

void cycle_spin_lock() {
  tbb::spin_mutex lock;
  tbb::spin_mutex::scoped_lock const guard(lock);
  wait_for_task([&lock] { tbb::spin_mutex::scoped_lock const second(lock); });
}

void cycle_pop() {
  tbb::concurrent_bounded_queue<int> queue;
  wait_for_task([&queue] {
    int element;
    queue.pop(element);
  });
}

void cycle_push() {
  tbb::concurrent_bounded_queue<int> queue;
  queue.set_capacity(1);
  queue.push(1);
  wait_for_task([&queue] { queue.push(2); });
}

void cycle_accessor() {
  tbb::concurrent_hash_map<int, int> map;
  tbb::concurrent_hash_map<int, int>::accessor first;
  map.insert(first, 1);
  wait_for_task([&map] {
    tbb::concurrent_hash_map<int, int>::accessor second;
    map.find(second, 1);
  });
}

void cycle_condition() {
  std::mutex lock;
  std::condition_variable changed;
  bool ready = false;
  wait_for_task([&] {
    std::unique_lock guard(lock);
    changed.wait(guard, [&ready] { return ready; });
  });
}

void cycle_pipe() {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  wait_for_task([&ends] {
    char byte;
    if (read(ends[0], &byte, 1) == 1) std::abort();
  });
}

void cycle_suspended() {
  wait_for_task([] { tbb::task::suspend([](tbb::task::suspend_point) {}); });
}

// More tasks than the arena has threads wait for each other.
void cycle_barrier() {
  tbb::task_arena two(2);
  std::mutex lock;
  std::condition_variable all_here;
  int here = 0;
  two.execute([&] {
    tbb::task_group group;
    for (int i = 0; i < 5; ++i) {
      group.run([&] {
        std::unique_lock guard(lock);
        if (++here == 5) all_here.notify_all();
        all_here.wait(guard, [&] { return here == 5; });
      });
    }
    group.wait();
  });
}

// The thread may not take the group's task, which is not of the region, and no other one finds a slot.
void cycle_isolated() {
  tbb::task_arena full(1, 0);
  full.execute([] {
    tbb::task_group group;
    group.run([] { std::abort(); });
    tbb::this_task_arena::isolate([&group] { group.wait(); });
  });
}

void cycle_slot() {
  tbb::task_arena small(1, 1);
  std::binary_semaphore inside{0};
  std::thread([&] {
    small.execute([&] {
      inside.release();
      std::binary_semaphore never{0};
      never.acquire();
    });
  }).detach();
  inside.acquire();
  small.execute([] {});
}

// Each of two tasks waits for the other one's end.
void cycle_groups() {
  tbb::task_group one, other;
  std::atomic<int> begun{0};
  auto const both = [&begun] {
    for (++begun; begun != 2;) std::this_thread::yield();
  };
  std::thread([&] {
    one.run_and_wait([&] {
      both();
      other.wait();
    });
  }).detach();
  other.run_and_wait([&] {
    both();
    one.wait();
  });
}

struct cycle {
  char const* name;
  void (*run)();
};
constexpr cycle cycles[] = {
    {"lock", cycle_lock},         {"spin_lock", cycle_spin_lock}, {"pop", cycle_pop},   {"push", cycle_push},
    {"accessor", cycle_accessor}, {"condition", cycle_condition}, {"pipe", cycle_pipe}, {"suspended", cycle_suspended},
    {"barrier", cycle_barrier},   {"isolated", cycle_isolated},   {"slot", cycle_slot}, {"groups", cycle_groups}};

cycle const* chosen = nullptr;

void run_chosen() {
  std::fprintf(stderr, "cycle: %s\n", chosen->name);
  chosen->run();
}

}  // namespace

int main(int count, char** words) {
  std::uint64_t const seed = count > 1 ? std::stoull(words[1]) : 1;
  dice d(seed + 0x5eed);
  chosen = cycles + d.upto(static_cast<int>(std::size(cycles)));
  test::random_waits::at_last_step = run_chosen;
  test::random_waits::steps_left = d.upto(20);
  test::random_waits::run_program(seed);
  if (test::random_waits::steps_left >= 0) wait_for_task(run_chosen);  // the program was shorter
  std::fputs("ended\n", stderr);
}
