// SPDX-License-Identifier: Apache-2.0
// Many threads, whatever the policies: n iterations run at once on n threads, arenas come and go beside each other,
// limits change in flight, threads end. What is lost or forgotten hangs, and the process ends with a message.
//
// ASHLAR_STRESS_ROUNDS: rounds (default: as many as take a few seconds for each number of threads).
#include "support/eventually.h"
#include "support/thread_team.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <ashlar/sched/policy/policy.h>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <thread>
#include <vector>

namespace {

using steady = std::chrono::steady_clock;

class rounds {
 public:
  explicit rounds(std::chrono::milliseconds time) {
    char const* const asked = std::getenv("ASHLAR_STRESS_ROUNDS");
    if (asked != nullptr) {
      left_ = std::atoi(asked);
    } else {
      end_ = steady::now() + time;
    }
  }
  bool next() { return left_-- > 0 && steady::now() < end_; }

 private:
  int left_ = 1 << 30;
  steady::time_point end_ = steady::time_point::max();
};

// A body that ends only when `n` of its kind are inside. Sleeps, because there are more threads than processors.
class meeting {
 public:
  explicit meeting(int n) : wanted_(n) {}
  void come(char const* what) {
    ++inside_;
    test::waiting patience;
    while (inside_ < wanted_) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      if (patience.goes_on()) continue;
      std::fprintf(stderr, "many threads: %d of %d came to %s\n", inside_.load(), wanted_, what);
      std::abort();
    }
  }

 private:
  std::atomic<int> inside_{0};
  int const wanted_;
};

void meet_in_loop(int n) {
  meeting m(n);
  tbb::parallel_for(0, n, [&](int) { m.come("a loop"); });
}
void meet_in_reduction(int n) {
  meeting m(n);
  int const sum = tbb::parallel_reduce(
      tbb::blocked_range<int>(0, n), 0,
      [&](tbb::blocked_range<int> const& part, int before) {
        for (int i = part.begin(); i != part.end(); ++i) m.come("a reduction");
        return before + static_cast<int>(part.size());
      },
      std::plus<>());
  CHECK(sum == n);
}
void meet_in_group(int n) {
  meeting m(n);
  tbb::task_group group;
  for (int i = 0; i < n; ++i) group.run([&] { m.come("a group"); });
  group.wait();
}

template <typename Random>
char const* one_of(Random& random, std::initializer_list<char const*> names) {
  return names.begin()[random() % names.size()];
}

void every_policy(int threads) {
  test::thread_team const limit(static_cast<std::size_t>(threads));
  std::mt19937 random(static_cast<unsigned>(threads));
  tbb::task_arena arena(threads);
  for (rounds r(std::chrono::milliseconds(1000)); r.next();) {
    using namespace ashlar::sched;
    REQUIRE(set_victim_policy(
        one_of(random, {"by_size", "distance", "random", "pseudo_random", "occupancy", "tbb41", "hybrid"})));
    REQUIRE(set_idle_policy(one_of(random, {"park", "yield", "spin", "tbb41"})));
    REQUIRE(set_wait_policy(one_of(random, {"any", "depth", "leapfrog"})));
    arena.execute([&] {
      switch (random() % 3) {
        case 0:
          return meet_in_loop(threads);
        case 1:
          return meet_in_reduction(threads);
        default:
          return meet_in_group(threads);
      }
    });
    if (random() % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
  }
  REQUIRE(ashlar::sched::set_victim_policy("by_size"));
  REQUIRE(ashlar::sched::set_idle_policy("park"));
  REQUIRE(ashlar::sched::set_wait_policy("any"));
}

// One application thread: loops, enqueued tasks and short-lived arenas of random sizes.
void application(unsigned seed) {
  std::mt19937 random(seed);
  std::atomic<int> enqueued{0};
  std::atomic<int> ran{0};
  for (int i = 0; i < 6; ++i) {
    int const size = 1 + static_cast<int>(random() % 16);
    tbb::task_arena arena(size, static_cast<unsigned>(random() % 2));
    std::atomic<int> sum{0};
    arena.execute([&] { tbb::parallel_for(0, 100, [&](int k) { sum += k; }); });
    CHECK(sum == 4950);
    enqueued += 3;
    for (int k = 0; k < 3; ++k) arena.enqueue([&] { ++ran; });
  }
  if (!test::eventually([&] { return ran == enqueued; })) {
    std::fprintf(stderr, "many threads: %d of %d enqueued tasks ran\n", ran.load(), enqueued.load());
    std::abort();
  }
}

}  // namespace

TEST_CASE("n iterations run at once on n threads under every policy: 2") { every_policy(2); }
TEST_CASE("n iterations run at once on n threads under every policy: 8") { every_policy(8); }
TEST_CASE("n iterations run at once on n threads under every policy: 32") { every_policy(32); }
TEST_CASE("n iterations run at once on n threads under every policy: 64") { every_policy(64); }

TEST_CASE("arenas of any number and size, limits that change, threads that end: nothing is lost") {
  std::atomic<bool> end{false};
  std::thread limits([&] {
    for (std::mt19937 random(7); !end;) {
      tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, 1 + random() % 64);
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 2000));
    }
  });
  std::mt19937 random(1);
  for (rounds r(std::chrono::milliseconds(2000)); r.next();) {
    std::vector<std::thread> threads;
    for (unsigned i = 0, n = 1 + static_cast<unsigned>(random() % 12); i < n; ++i) {
      threads.emplace_back(application, static_cast<unsigned>(random()));
    }
    for (std::thread& t : threads) t.join();
  }
  end = true;
  limits.join();
}
