// SPDX-License-Identifier: Apache-2.0
// Millions of tasks in nested groups, forks and loops with random exceptions, cancellations and delays, on more threads
// than processors: every function object that is made is destroyed, every one that is called is called once, and in
// rounds without an exception or a cancellation every one is called.
//
// ASHLAR_STRESS_TASKS: number of tasks (default 4,000,000; the long form is 10,000,000).
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include "support/thread_team.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace {

std::atomic<long> made{0};
std::atomic<long> destroyed{0};
std::atomic<long> called{0};
std::atomic<long> called_twice{0};
std::atomic<bool> failures{false};  // this round may throw and cancel

long tasks_wanted() {
  char const* const asked = std::getenv("ASHLAR_STRESS_TASKS");
  return asked != nullptr ? std::atol(asked) : 4000000;
}

unsigned dice() {
  thread_local unsigned long long state = 0x9E3779B97F4A7C15ull ^ reinterpret_cast<unsigned long long>(&state);
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return static_cast<unsigned>((state * 0x2545F4914F6CDD1Dull) >> 33);
}

// Now and then a thread loses the processor, or does nothing for a while, at a place that nobody expects.
void delay() {
  unsigned const n = dice() % 4096;
  if (n == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
  if (n < 16) std::this_thread::yield();
  if (n >= 16 && n < 64) {
    for (unsigned i = dice() % 2000; i > 0; --i) __asm__ __volatile__("");
  }
}

struct failure : std::runtime_error {
  failure() : std::runtime_error("deliberate") {}
};

// One task: counts its copies and its calls.
class counted {
 public:
  counted(tbb::task_group* g, int d) : group_(g), depth_(d) { ++made; }
  counted(counted const& o) : group_(o.group_), depth_(o.depth_) {
    delay();
    if (failures.load(std::memory_order_relaxed) && dice() % 20000 == 0) throw failure();
    ++made;
  }
  ~counted() { ++destroyed; }

  void operator()() const {
    if (ran_.exchange(true)) ++called_twice;
    ++called;
    delay();
    if (failures.load(std::memory_order_relaxed)) {
      unsigned const n = dice() % 20000;
      if (n == 0) throw failure();
      if (n == 1 && group_ != nullptr) group_->cancel();
    }
    if (depth_ == 0) return;
    switch (dice() % 4) {
      case 0: {
        tbb::task_group inner;
        for (int i = 0; i < 4; ++i) inner.run(counted(&inner, depth_ - 1));
        inner.wait();
        break;
      }
      case 1: {
        counted const a(group_, depth_ - 1), b(group_, depth_ - 1), c(group_, depth_ - 1);
        tbb::parallel_invoke(a, b, c);
        break;
      }
      case 2:
        tbb::parallel_for(0, 6, [this](int) { counted(nullptr, depth_ - 1)(); });
        break;
      default:
        if (group_ != nullptr) {
          group_->run(counted(group_, depth_ - 1));
          group_->run(counted(group_, depth_ - 1));
        } else {
          counted(nullptr, depth_ - 1)();
        }
    }
  }

 private:
  tbb::task_group* group_;
  int depth_;
  mutable std::atomic<bool> ran_{false};
};

// True if the round ended with an exception.
bool round_of_tasks(bool with_failures) {
  failures = with_failures;
  bool threw = false;
  tbb::task_group group;
  try {
    for (int i = 0; i < 50; ++i) group.run(counted(&group, 5));
  } catch (failure const&) {
    threw = true;  // from a copy; what was run stays valid
  }
  try {
    group.wait();
  } catch (failure const&) {
    threw = true;
  }
  failures = false;
  return threw;
}

void storm(long tasks, unsigned threads) {
  test::thread_team const limit(threads);
  made = destroyed = called = called_twice = 0;
  long thrown = 0;
  for (bool with_failures = false; called < tasks; with_failures = !with_failures) {
    thrown += round_of_tasks(with_failures);
    REQUIRE(made == destroyed);
    REQUIRE(called_twice == 0);
  }
  CHECK(called <= made);
  if (tasks >= 200000) CHECK(thrown > 0);
}

}  // namespace

TEST_CASE("every task is called at most once and destroyed: 8 threads") { storm(tasks_wanted(), 8); }
TEST_CASE("every task is called at most once and destroyed: 2 threads") { storm(tasks_wanted() / 4, 2); }

TEST_CASE("without failures every task runs exactly once") {
  test::thread_team const limit(8);
  for (int round = 0; round < 200; ++round) {
    std::atomic<long> ran{0};
    long expected = 0;
    tbb::task_group group;
    for (int i = 0; i < 100; ++i) {
      group.run([&] {
        delay();
        tbb::parallel_invoke([&] { ++ran; }, [&] { ++ran; }, [&] { ++ran; });
        ran += tbb::parallel_reduce(
            tbb::blocked_range<int>(0, 20), 0L,
            [](tbb::blocked_range<int> const& r, long n) {
              delay();
              return n + static_cast<long>(r.size());
            },
            [](long a, long b) { return a + b; });
      });
      expected += 23;
    }
    group.wait();
    REQUIRE(ran == expected);
  }
}

// Threads cancel a tree of groups from outside while it grows.
TEST_CASE("cancellation from another thread ends every round") {
  test::thread_team const limit(8);
  long const rounds = tasks_wanted() / 2000;
  long cancelled = 0;
  for (long round = 0; round < rounds; ++round) {
    tbb::task_group_context context;
    std::atomic<bool> begun{false};
    std::atomic<long> live{0};
    std::thread killer([&] {
      while (!begun) std::this_thread::yield();
      for (unsigned i = dice() % 1000; i > 0; --i) __asm__ __volatile__("");
      cancelled += context.cancel_group_execution();
    });
    tbb::parallel_for(
        0, 64,
        [&](int) {
          begun = true;
          ++live;
          tbb::parallel_for(0, 64, [&](int) { delay(); });
          --live;
        },
        context);
    REQUIRE(live == 0);
    killer.join();
    REQUIRE(context.is_group_execution_cancelled());
  }
  CHECK(cancelled == rounds);
}
