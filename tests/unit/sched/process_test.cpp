// SPDX-License-Identifier: Apache-2.0
// What the library does at the edges of a process's life: fork, exit, threads that end.
#include "support/death.h"
#include "support/eventually.h"

#include "sched/market/market.h"
#include "sched/tasks/watch_list.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_group.h>

#include <ashlar/sched/core/statistics.h>
#include <ashlar/sched/queue/task_pool.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

// ThreadSanitizer ends a child that starts threads if its parent had some.
doctest::skip const no_fork_under_tsan(ASHLAR_TSAN);

constexpr unsigned hang = 400;  // s, after which a child is ended

bool reaches(std::atomic<int> const& value, int wanted) {
  return test::eventually([&] { return value >= wanted; });
}

// True if two threads of this process take part in one algorithm.
bool runs_in_parallel() {
  std::atomic<int> begun{0};
  std::atomic<bool> met{true};
  auto const half = [&] {
    ++begun;
    if (!reaches(begun, 2)) met = false;
  };
  tbb::parallel_invoke(half, half);
  return met;
}

bool can_share() {
  tbb::parallel_for(0, 1, [](int) {});
  return ashlar::sched::this_slot().can_share();
}

struct counting_job : ashlar::sched::job {
  explicit counting_job(std::atomic<int>& c) : job{&count}, counter(c) {}
  static job* count(job* self, ashlar::sched::slot&) noexcept {
    std::atomic<int>& c = static_cast<counting_job*>(self)->counter;
    delete static_cast<counting_job*>(self);
    ++c;
    return nullptr;
  }
  std::atomic<int>& counter;
};

}  // namespace

void fork_and_run_in_parallel(int times) {
  if (!can_share()) return;
  REQUIRE(runs_in_parallel());
  for (int i = 0; i < times; ++i) {
    test::death const child = test::run_in_child([] {
      alarm(hang);
      if (!runs_in_parallel()) _exit(1);
      std::atomic<int> count{0};
      tbb::parallel_for(0, 10000, [&](int) { ++count; });
      _exit(count == 10000 ? 0 : 2);
    });
    REQUIRE(child.exited);
    REQUIRE(child.code == 0);
    REQUIRE(runs_in_parallel());
  }
}

TEST_CASE("a forked child gets fresh workers and runs in parallel" * no_fork_under_tsan) {
  fork_and_run_in_parallel(10);
}

TEST_CASE("so does one that is observed" * no_fork_under_tsan) {
  ashlar::sched::observe_statistics(true);
  fork_and_run_in_parallel(10);
  ashlar::sched::observe_statistics(false);
}

TEST_CASE("a forked child finds the list of awaited groups unlocked" * no_fork_under_tsan) {
  tbb::parallel_for(0, 1, [](int) {});
  auto& list = ashlar::sched::watch_list::get();
  std::atomic<bool> end{false};
  std::thread other([&] {
    while (!end) list.notify(&end);
  });
  for (int i = 0; i < 50; ++i) {
    test::death const child = test::run_in_child([&] {
      alarm(hang);
      list.notify(&end);
      _exit(0);
    });
    CHECK(child.exited);
    if (!child.exited) break;
  }
  end = true;
  other.join();
}

TEST_CASE("a child of a child works too" * no_fork_under_tsan) {
  if (!can_share()) return;
  test::death const child = test::run_in_child([] {
    alarm(hang);
    if (!runs_in_parallel()) _exit(1);
    test::death const grandchild = test::run_in_child([] { _exit(runs_in_parallel() ? 0 : 1); });
    _exit(grandchild.exited && grandchild.code == 0 ? 0 : 2);
  });
  CHECK(child.exited);
  CHECK(child.code == 0);
}

TEST_CASE("a process may end while workers are parked, searching or busy" * no_fork_under_tsan) {
  for (int i = 0; i < 100; ++i) {
    std::fflush(nullptr);  // else each child prints what is buffered
    test::death const child = test::run_in_child([i] {
      alarm(hang);
      static std::atomic<int> sink{0};
      tbb::parallel_for(0, 1000, [](int) { ++sink; });
      if (i % 3 == 1) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      if (i % 3 == 2) {
        auto* const group = new tbb::task_group;
        for (int k = 0; k < 50; ++k) {
          group->run([] {
            for (int n = 0; n < 100000; ++n) ++sink;
          });
        }
      }
      std::exit(7);
    });
    CAPTURE(child.errors);
    REQUIRE(child.exited);
    // The leak check stops all threads by ptrace. Where that fails for all or for one of them, it says so, and the exit
    // code is its own.
    if (ASHLAR_ASAN && child.errors.find("LeakSanitizer has encountered a fatal error") != std::string::npos) continue;
    if (ASHLAR_ASAN && child.errors.find("False leaks are possible") != std::string::npos) continue;
    REQUIRE(child.code == 7);
    // Under AddressSanitizer the child may print (its leak check runs beside live workers); the code still counts.
    if (!ASHLAR_ASAN) REQUIRE(child.errors.empty());
  }
}

TEST_CASE("jobs that a thread leaves behind are run") {
  std::atomic<int> ran{0};
  constexpr int rounds = 50;
  for (int i = 0; i < rounds; ++i) {
    std::thread([&] {
      ashlar::sched::slot& s = ashlar::sched::this_slot();
      for (int k = 0; k < 10; ++k) s.spawn(*new counting_job(ran));
      for (int k = 0; k < 10; ++k) s.enqueue(*new counting_job(ran), k % 3);
    }).join();
  }
  CHECK(reaches(ran, rounds * 20));
}

TEST_CASE("many short threads leave nothing behind") {
  auto const use = [] {
    std::thread([] {
      std::atomic<int> count{0};
      tbb::task_group group;
      for (int i = 0; i < 20; ++i) group.run([&] { ++count; });
      group.wait();
      if (count != 20) std::abort();
    }).join();
  };
  for (int i = 0; i < 500; ++i) use();
  std::size_t const before = ashlar::sched::task_pool::footprint();
  unsigned const workers = ashlar::sched::market::get().workers_created();
  for (int i = 0; i < 9500; ++i) use();
  CHECK(ashlar::sched::task_pool::footprint() <= before + (64u << 10));
  CHECK(ashlar::sched::market::get().workers_created() <=
        std::max(workers, ashlar::sched::market::get().worker_limit()));
}

namespace {
std::atomic<int> late_uses{0};
struct late_user {
  ~late_user() {
    std::atomic<int> count{0};
    tbb::parallel_for(0, 100, [&](int) { ++count; });
    tbb::parallel_invoke([&] { ++count; }, [&] { ++count; });
    late_uses += count;
  }
};
}  // namespace

TEST_CASE("a thread_local destructor may use the library") {
  late_uses = 0;
  for (int i = 0; i < 50; ++i) {
    std::thread([i] {
      thread_local late_user before;
      static_cast<void>(&before);
      if (i % 2 == 0) tbb::parallel_for(0, 10, [](int) {});
      thread_local late_user after;
      static_cast<void>(&after);
    }).join();
  }
  CHECK(late_uses == 50 * 2 * 102);
}

TEST_CASE("a key's destructor that runs after the library's may use it again") {
  static std::atomic<int> uses;
  static pthread_key_t key;
  uses = 0;
  REQUIRE(pthread_key_create(&key, [](void*) {
            std::atomic<int> count{0};
            tbb::parallel_for(0, 100, [&](int) { ++count; });
            uses += count;
          }) == 0);
  for (int i = 0; i < 20; ++i) {
    std::thread([] {
      tbb::parallel_for(0, 10, [](int) {});
      pthread_setspecific(key, &uses);
    }).join();
  }
  CHECK(uses == 2000);
  pthread_key_delete(key);
}

TEST_CASE("a static destructor may use the library" * no_fork_under_tsan) {
  test::death const child = test::run_in_child([] {
    alarm(hang);
    static std::atomic<int> count;
    tbb::parallel_for(0, 10, [](int) {});
    std::atexit([] {
      tbb::parallel_for(0, 100, [](int) { ++count; });
      _exit(count == 100 ? 9 : 1);
    });
    std::exit(0);
  });
  CHECK(child.exited);
  CHECK(child.code == 9);
}
