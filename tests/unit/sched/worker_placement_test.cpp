// SPDX-License-Identifier: Apache-2.0
// On which CPUs workers may run, whoever wakes them.
#include <ashlar/sched/api/global_control.h>
#include <ashlar/sched/api/task_arena.h>

#include <tbb/parallel_for.h>
#include <tbb/task_scheduler_observer.h>

#include <doctest/doctest.h>

#include "support/thread_team.h"

#include <sched.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace {

std::string allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  REQUIRE(::sched_getaffinity(0, sizeof set, &set) == 0);
  std::string text;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) text += std::to_string(cpu) + ' ';
  }
  return text;
}

// Both threads sleep, and then work at the same time, unless the worker has no processor; again and again, longer where
// the worker never had one. Returns the masks of the workers.
std::set<std::string> masks_after_pauses(tbb::task_arena& arena) {
  std::mutex lock;
  std::set<std::string> found;
  std::thread::id const caller = std::this_thread::get_id();
  for (int episode = 0; episode < 40 || (found.empty() && episode < 2000); ++episode) {
    std::this_thread::sleep_for(std::chrono::milliseconds(8));
    std::atomic<int> inside{0};
    arena.execute([&] {
      tbb::parallel_for(
          0, 2,
          [&](int) {
            ++inside;
            if (std::this_thread::get_id() != caller) {
              std::lock_guard guard(lock);
              found.insert(allowed_cpus());
            }
            auto const until = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
            while (inside < 2 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
          },
          tbb::simple_partitioner());
    });
  }
  return found;
}

}  // namespace

TEST_CASE("worker placement: a worker that was kept off its caller's CPU may use all CPUs again when it works") {
  test::thread_team const two(2);
  tbb::task_arena arena(2);
  std::set<std::string> const found = masks_after_pauses(arena);
  REQUIRE_FALSE(found.empty());
  CHECK(found == std::set<std::string>{allowed_cpus()});
}

namespace {

// Ties each worker to the last CPU of its mask, as programs do that know their machine.
class pinning : public tbb::task_scheduler_observer {
 public:
  explicit pinning(tbb::task_arena& arena) : tbb::task_scheduler_observer(arena) { observe(true); }
  ~pinning() { observe(false); }
  void on_scheduler_entry(bool is_worker) override {
    if (!is_worker) return;
    cpu_set_t set;
    ::sched_getaffinity(0, sizeof set, &set);
    for (unsigned cpu = CPU_SETSIZE; cpu-- != 0;) {
      if (!CPU_ISSET(cpu, &set)) continue;
      CPU_ZERO(&set);
      CPU_SET(cpu, &set);
      break;
    }
    ::sched_setaffinity(0, sizeof set, &set);
  }
};

}  // namespace

TEST_CASE("worker placement: a worker that an observer has tied to one CPU stays there") {
  test::thread_team const two(2);
  tbb::task_arena arena(2);
  pinning const observer(arena);
  std::set<std::string> const found = masks_after_pauses(arena);
  REQUIRE_FALSE(found.empty());
  CHECK(found.size() == 1);
  CHECK(found.begin()->find(' ') == found.begin()->size() - 1);
}
