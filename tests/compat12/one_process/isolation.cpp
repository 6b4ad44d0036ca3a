// SPDX-License-Identifier: Apache-2.0
// Threads of one arena add tasks to isolated groups that all share, and wait for others of these groups: the tasks of a
// group lie in every deque, behind those of other groups. (On oneTBB 2023.2 all threads end up asleep.) And one thread
// that knows isolated groups only needs no more and more memory. Usage: isolation THREADS SECONDS. A run without
// progress for 20 seconds ends with status 9.
#define TBB_PREVIEW_ISOLATED_TASK_GROUP 1
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <unistd.h>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

static std::atomic<long> added{0}, ran{0}, strangers{0};
static std::atomic<bool> over{false};

constexpr int groups = 8;
static thread_local int waits_for = -1;  // the group whose tasks alone may run now, or -1

static tbb::isolated_task_group* shared_groups;

static void add(int group, int depth);

static void work(int group, int depth) {
  if (waits_for != -1 && waits_for != group) ++strangers;
  ++ran;
  int const outer = waits_for;
  waits_for = -1;
  if (depth > 0) {
    add((group * 5 + depth) % groups, depth - 1);
    add(group, depth - 1);
    if (depth == 2) {
      tbb::this_task_arena::isolate(
          [] { tbb::parallel_for(0, 8, [](int) { ++ran, ++added; }, tbb::simple_partitioner()); });
      // A group of this task's own.
      tbb::isolated_task_group own;
      for (int i = 0; i < 3; ++i) {
        ++added;
        own.run([] {
          ++ran;
          add(3, 0);
        });
      }
      own.wait();
    }
  }
  waits_for = outer;
}

static void add(int group, int depth) {
  ++added;
  shared_groups[group].run([group, depth] { work(group, depth); });
}

static void member(int index) {
  std::minstd_rand random(static_cast<unsigned>(index + 1));
  while (!over) {
    for (unsigned k = random() % 4; k > 0; --k) {
      add(static_cast<int>(random() % groups), static_cast<int>(random() % 3));
    }
    waits_for = static_cast<int>(random() % groups);
    shared_groups[waits_for].wait();
    waits_for = -1;
  }
}

static long resident_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmRSS:", 0) == 0) return std::atol(line.c_str() + 6);
  }
  return 0;
}

static bool keeps_memory() {
  tbb::isolated_task_group group, other;
  long before = 0;
  for (int i = 0; i < 400'000; ++i) {
    if (i == 100'000) before = resident_kilobytes();
    added += 2;
    group.run([&] {
      ++ran;
      other.run([] { ++ran; });
    });
    group.wait();
    other.wait();
  }
  long const grown = resident_kilobytes() - before;
  std::printf("%ld kB more after 600000 tasks\n", grown);
#ifdef __SANITIZE_ADDRESS__
  return true;  // what is free stays resident
#else
  return grown < 4000;
#endif
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  int const count = std::atoi(argv[1]);
  tbb::global_control const more(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count));
  static tbb::isolated_task_group all[groups];
  shared_groups = all;
  bool kept = false;
  {
    tbb::global_control const alone(tbb::global_control::max_allowed_parallelism, 1);
    kept = keeps_memory();
  }
  tbb::task_arena arena(count, static_cast<unsigned>(count));
  std::thread([] {
    for (long before = -1; ran != before; sleep(20)) before = ran;
    std::fputs("no progress\n", stderr);
    std::_Exit(9);
  }).detach();
  std::vector<std::thread> members;
  for (int i = 0; i < count; ++i) members.emplace_back([&arena, i] { arena.execute([i] { member(i); }); });
  std::this_thread::sleep_for(std::chrono::seconds(std::atoi(argv[2])));
  over = true;
  for (std::thread& m : members) m.join();
  for (int round = 0; round < 4; ++round) {
    for (tbb::isolated_task_group& g : all) g.wait();
  }
  std::printf("%ld tasks, %ld lost, %ld of another group\n", ran.load(), added - ran, strangers.load());
  return added == ran && strangers == 0 && kept ? 0 : 1;
}
