// SPDX-License-Identifier: Apache-2.0
// No lost wake-up: one half of a computation waits, without helping, until the other half has begun on another thread.
// A scheduler that leaves a job lying while a worker sleeps hangs here; speed and results would not show it.
// Pauses of several lengths between the rounds let workers spin, be about to park, or sleep.
//
// ASHLAR_STRESS_ROUNDS: rounds of each kind (default: 6000 or less, as many as take a few seconds: beside other
// programs each round may take as long as the system lets a thread wait for a processor).
#include "support/eventually.h"
#include "support/thread_team.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_group.h>

#include <ashlar/sched/core/slot.h>
#include <ashlar/sched/policy/policy.h>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>

namespace {

using steady = std::chrono::steady_clock;

// A series of rounds.
class series {
 public:
  // A part of what was asked for.
  explicit series(int part) {
    char const* const asked = std::getenv("ASHLAR_STRESS_ROUNDS");
    left_ = (asked != nullptr ? std::atoi(asked) : 6000) / part;
    if (asked == nullptr) end_ = steady::now() + std::chrono::seconds(5);
  }
  bool next() { return left_-- > 0 && steady::now() < end_; }

 private:
  int left_;
  steady::time_point end_ = steady::time_point::max();
};

// Ends the process if nobody comes: the waiting thread can't be abandoned.
void await(std::atomic<int> const& begun, int wanted, char const* what) {
  if (test::eventually([&] { return begun.load(std::memory_order_acquire) >= wanted; })) return;
  std::fprintf(stderr, "liveness: nobody began the other half of %s\n", what);
  std::abort();
}

// Between nothing and longer than any worker's patience.
void pause_at_random(std::mt19937& random) {
  switch (random() % 8) {
    case 0:
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 400));
      break;
    case 1:
    case 2: {
      auto const until = steady::now() + std::chrono::microseconds(random() % 60);
      while (steady::now() < until) {
      }
      break;
    }
    default:
      break;
  }
}

void invoke_round() {
  std::atomic<int> begun{0};
  tbb::parallel_invoke([&] { await(begun, 1, "parallel_invoke"); }, [&] { begun.store(1, std::memory_order_release); });
}

void group_round() {
  std::atomic<int> begun{0};
  tbb::task_group group;
  group.run([&] { begun.store(1, std::memory_order_release); });
  await(begun, 1, "task_group");
  group.wait();
}

// Both halves begin, on two threads, before either ends.
template <typename Partitioner>
void loop_round(char const* what) {
  std::atomic<int> begun{0};
  tbb::parallel_for(
      0, 2,
      [&](int) {
        begun.fetch_add(1, std::memory_order_acq_rel);
        await(begun, 2, what);
      },
      Partitioner());
}

// One body for small executions and for the one that waits, so that the loop is known to be small and its offer is
// reserved when it matters.
void reserved_loop_round() {
  static std::atomic<int> begun;
  static std::atomic<int> wanted;
  auto const body = [](int) {
    if (wanted.load(std::memory_order_relaxed) == 0) return;
    begun.fetch_add(1, std::memory_order_acq_rel);
    await(begun, 2, "a small loop");
  };
  auto const loop = [&](int n) { tbb::parallel_for(0, n, body); };
  begun = 0;
  wanted = 0;
  for (int i = 0; i < 3; ++i) loop(4);
  wanted = 2;
  loop(2);
}

struct signal_job : ashlar::sched::job {
  explicit signal_job(std::atomic<int>& b) : job{&ring}, begun(b) {}
  static job* ring(job* self, ashlar::sched::slot&) noexcept {
    static_cast<signal_job*>(self)->begun.store(1, std::memory_order_release);
    return nullptr;
  }
  std::atomic<int>& begun;
};

void enqueue_round() {
  std::atomic<int> begun{0};
  signal_job job(begun);
  ashlar::sched::this_slot().enqueue(job, 1);
  await(begun, 1, "enqueue");
}

// A waiting thread leaves its search at any moment: the job that was left to it must find another thread.
void nested_round() {
  std::atomic<int> begun{0};
  tbb::parallel_invoke([] {},
                       [&] {
                         tbb::parallel_invoke([&] { await(begun, 1, "a nested parallel_invoke"); },
                                              [&] { begun.store(1, std::memory_order_release); });
                       },
                       [] {});
}

void all_kinds(int threads, series s) {
  test::thread_team const limit(static_cast<std::size_t>(threads));
  std::mt19937 random(static_cast<unsigned>(threads));
  while (s.next()) {
    invoke_round();
    pause_at_random(random);
    group_round();
    pause_at_random(random);
    loop_round<tbb::simple_partitioner>("parallel_for, simple_partitioner");
    pause_at_random(random);
    loop_round<tbb::auto_partitioner>("parallel_for, auto_partitioner");
    pause_at_random(random);
    reserved_loop_round();
    pause_at_random(random);
    enqueue_round();
    pause_at_random(random);
    if (threads > 2) nested_round();
  }
}

}  // namespace

TEST_CASE("the other half begins on another thread: 2 threads") { all_kinds(2, series(1)); }
TEST_CASE("the other half begins on another thread: 4 threads") { all_kinds(4, series(2)); }
TEST_CASE("the other half begins on another thread: 8 threads") { all_kinds(8, series(4)); }

TEST_CASE("the other half begins on another thread under every policy") {
  using namespace ashlar::sched;
  for (char const* wait : {"depth", "leapfrog", "any"}) {
    REQUIRE(set_wait_policy(wait));
    for (char const* idle : {"yield", "spin", "tbb41", "park"}) {
      REQUIRE(set_idle_policy(idle));
      all_kinds(4, series(50));
    }
  }
}

// Several application threads compete for too few workers; each has its rounds in its own arena.
TEST_CASE("several arenas share the workers and none is forgotten") {
  test::thread_team const limit(4);
  std::thread threads[3];
  for (unsigned t = 0; t < 3; ++t) {
    threads[t] = std::thread([t] {
      test::thread_team const own(4);
      std::mt19937 random(t);
      for (series s(3); s.next();) {
        invoke_round();
        pause_at_random(random);
        group_round();
        pause_at_random(random);
        loop_round<tbb::auto_partitioner>("parallel_for in one of three arenas");
        enqueue_round();
      }
    });
  }
  for (auto& t : threads) t.join();
}
