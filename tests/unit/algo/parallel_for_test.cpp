// SPDX-License-Identifier: Apache-2.0
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <vector>

namespace {

using range = tbb::blocked_range<int>;

// Counts each index once.
class hits {
 public:
  explicit hits(std::size_t n) : counts_(new std::atomic<int>[n]()), size_(n) {}
  void hit(std::size_t i) { counts_[i].fetch_add(1, std::memory_order_relaxed); }
  bool each_once() const {
    for (std::size_t i = 0; i < size_; ++i) {
      if (counts_[i].load() != 1) return false;
    }
    return true;
  }

 private:
  std::unique_ptr<std::atomic<int>[]> counts_;
  std::size_t size_;
};

template <typename... Rest>
void check_range(int n, std::size_t grain, Rest&&... rest) {
  hits h(static_cast<std::size_t>(n));
  tbb::parallel_for(
      range(0, n, grain),
      [&](range const& r) {
        for (int i = r.begin(); i != r.end(); ++i) h.hit(static_cast<std::size_t>(i));
      },
      rest...);
  CHECK(h.each_once());
}

template <typename... Rest>
void check_index(int n, Rest&&... rest) {
  hits h(static_cast<std::size_t>(n));
  tbb::parallel_for(0, n, [&](int i) { h.hit(static_cast<std::size_t>(i)); }, rest...);
  CHECK(h.each_once());
  hits even(static_cast<std::size_t>(n));
  tbb::parallel_for(0, 2 * n, 2, [&](int i) { even.hit(static_cast<std::size_t>(i / 2)); }, rest...);
  CHECK(even.each_once());
}

}  // namespace

TEST_CASE("every part of a range is worked on once, with every partitioner and context") {
  tbb::affinity_partitioner affinity;
  for (int n : {0, 1, 2, 100, 10007}) {
    tbb::task_group_context context;
    check_range(n, 1);
    check_range(n, 1, context);
    check_range(n, 10, tbb::simple_partitioner());
    check_range(n, 10, tbb::simple_partitioner(), context);
    check_range(n, 1, tbb::auto_partitioner());
    check_range(n, 1, tbb::auto_partitioner(), context);
    check_range(n, 1, tbb::static_partitioner());
    check_range(n, 1, tbb::static_partitioner(), context);
    check_range(n, 1, affinity);
    check_range(n, 1, affinity, context);
    check_index(n);
    check_index(n, context);
    check_index(n, tbb::simple_partitioner());
    check_index(n, tbb::simple_partitioner(), context);
    check_index(n, tbb::static_partitioner());
    check_index(n, affinity);
    check_index(n, affinity, context);
  }
}

TEST_CASE("the index form takes steps and the limits of its type") {
  for (int step : {0, -1, -100}) {
    CHECK_THROWS_AS(tbb::parallel_for(0, 10, step, [](int) {}), std::invalid_argument);
  }
  std::atomic<int> calls{0};
  tbb::parallel_for(10, 10, [&](int) { ++calls; });
  tbb::parallel_for(10, 5, 1, [&](int) { ++calls; });
  CHECK(calls == 0);
  std::atomic<long> sum{0};
  tbb::parallel_for(3, 20, 5, [&](int i) { sum += i; });
  CHECK(sum == 3 + 8 + 13 + 18);
  // The distance doesn't fit the index type.
  std::atomic<int> visited{0};
  tbb::parallel_for(static_cast<signed char>(-128), static_cast<signed char>(127), [&](signed char) { ++visited; });
  CHECK(visited == 255);
  std::atomic<unsigned> top{0};
  tbb::parallel_for(0xfffffff0u, 0xffffffffu, 4u, [&](unsigned i) { top += i - 0xfffffff0u; });
  CHECK(top == 0 + 4 + 8 + 12);
}

TEST_CASE("simple_partitioner honours the grain") {
  std::atomic<bool> ok{true};
  tbb::parallel_for(
      range(0, 1000, 10), [&](range const& r) { ok = ok && r.size() <= 10 && r.size() >= 5; },
      tbb::simple_partitioner());
  CHECK(ok);
}

TEST_CASE("an exception cancels the loop and is rethrown once") {
  for (int i = 0; i < 200; ++i) {
    std::atomic<int> ran{0};
    bool caught = false;
    try {
      tbb::parallel_for(
          range(0, 1000, 1),
          [&](range const& r) {
            ran += static_cast<int>(r.size());
            if (r.begin() <= 500 && 500 < r.end()) throw i;
          },
          tbb::simple_partitioner());
    } catch (int value) {
      caught = value == i;
    }
    REQUIRE(caught);
    CHECK(ran <= 1000);
  }
}

TEST_CASE("an exception of a splitting constructor is delivered") {
  struct bad_range {
    int size;
    int indivisible;
    bad_range(int n, int i) : size(n), indivisible(i) {}
    bad_range(bad_range& r, tbb::split) : size(r.size / 2), indivisible(r.indivisible) {
      if (r.size == indivisible) throw std::runtime_error("split");
      r.size -= size;
    }
    bool empty() const { return size == 0; }
    bool is_divisible() const { return size > 1; }
  };
  CHECK_THROWS_AS(
      tbb::parallel_for(bad_range(64, 32), [](bad_range const&) {}, tbb::simple_partitioner()), std::runtime_error);
  CHECK_THROWS_AS(tbb::parallel_for(bad_range(64, 64), [](bad_range const&) {}), std::runtime_error);
  if (tbb::this_task_arena::max_concurrency() > 1) {  // alone, the loop is halved once
    CHECK_THROWS_AS(tbb::parallel_for(bad_range(64, 32), [](bad_range const&) {}), std::runtime_error);
  }
}

TEST_CASE("cancelling the context stops the loop, and reset makes it usable again") {
  tbb::task_group_context context;
  std::atomic<int> ran{0};
  tbb::parallel_for(
      0, 100000,
      [&](int) {
        if (++ran >= 10) context.cancel_group_execution();  // every one, lest others go on beside a slow one
      },
      tbb::simple_partitioner(), context);
  CHECK(ran < 100000);
  CHECK(context.is_group_execution_cancelled());
  ran = 0;
  tbb::parallel_for(0, 100, [&](int) { ++ran; }, context);
  CHECK(ran == 0);
  context.reset();
  tbb::parallel_for(0, 100, [&](int) { ++ran; }, context);
  CHECK(ran == 100);
}

TEST_CASE("cancelling an outer context stops nested loops, an isolated one goes on") {
  tbb::task_group_context outer;
  tbb::task_group_context isolated(tbb::task_group_context::isolated);
  std::atomic<int> bound_ran{0};
  std::atomic<int> isolated_ran{0};
  tbb::parallel_for(
      0, 1,
      [&](int) {
        outer.cancel_group_execution();
        tbb::parallel_for(0, 1000, [&](int) { ++bound_ran; });
        tbb::parallel_for(0, 1000, [&](int) { ++isolated_ran; }, isolated);
      },
      outer);
  CHECK(bound_ran == 0);
  CHECK(isolated_ran == 1000);
}

TEST_CASE("nested loops work on every part once") {
  constexpr int n = 60;
  hits h(n * n);
  tbb::parallel_for(
      0, n, [&](int i) { tbb::parallel_for(0, n, [&](int j) { h.hit(static_cast<std::size_t>(i * n + j)); }); });
  CHECK(h.each_once());
}

TEST_CASE("small loops repeated many times lose nothing") {
  for (int round = 0; round < 20000; ++round) {
    std::atomic<int> ran{0};
    tbb::parallel_for(0, 8, [&](int) { ++ran; });
    REQUIRE(ran == 8);
  }
}

TEST_CASE("a body that waits for another iteration gets its thread, also where the loop used to be small") {
  // The same body is small a thousand times, then needs two threads at once.
  std::atomic<int> arrived{0};
  bool meet = false;
  auto const body = [&](int) {
    if (!meet) return;
    ++arrived;
    while (arrived < 2) {
    }
  };
  auto const loop = [&] { tbb::parallel_for(0, 2, body, tbb::simple_partitioner()); };
  for (int round = 0; round < 1000; ++round) loop();
  meet = true;
  if (ashlar::sched::this_slot().parallelism() > 1) {
    loop();
    CHECK(arrived == 2);
    arrived = 0;
    tbb::parallel_for(0, 2, body);
    CHECK(arrived == 2);
  }
}

TEST_CASE("parallel_invoke calls each function once and takes a context last") {
  std::atomic<int> mask{0};
  auto const set = [&](int bit) { return [&mask, bit] { mask += 1 << bit; }; };
  tbb::parallel_invoke(set(0), set(1));
  CHECK(mask == 3);
  mask = 0;
  tbb::parallel_invoke(set(0), set(1), set(2), set(3), set(4), set(5), set(6), set(7), set(8), set(9), set(10),
                       set(11));
  CHECK(mask == 4095);
  mask = 0;
  tbb::task_group_context context;
  tbb::parallel_invoke(set(0), set(1), context);
  tbb::parallel_invoke(set(2), set(3), set(4), context);
  CHECK(mask == 31);
  context.cancel_group_execution();
  mask = 0;
  tbb::parallel_invoke(set(0), set(1), context);
  CHECK(mask == 0);
}

TEST_CASE("parallel_invoke rethrows from either side and waits for the other") {
  for (int round = 0; round < 2000; ++round) {
    std::atomic<int> running{0};
    auto const quiet = [&] {
      ++running;
      --running;
    };
    auto const bad = [&] {
      ++running;
      --running;
      throw round;
    };
    int caught = -1;
    try {
      if (round % 2 == 0) {
        tbb::parallel_invoke(quiet, bad);
      } else {
        tbb::parallel_invoke(bad, quiet);
      }
    } catch (int value) {
      caught = value;
    }
    REQUIRE(caught == round);
    REQUIRE(running == 0);
  }
}

TEST_CASE("affinity_partitioner brings parts back to the threads that worked on them") {
  if (ashlar::sched::this_slot().parallelism() < 2) return;
  tbb::affinity_partitioner affinity;
  constexpr int n = 64;
  std::vector<std::atomic<unsigned>> owner(n);
  auto const slow_loop = [&](bool compare) {
    std::atomic<int> same{0};
    tbb::parallel_for(
        range(0, n),
        [&](range const& r) {
          for (int i = r.begin(); i != r.end(); ++i) {
            unsigned const me = ashlar::sched::this_slot().position() + 1;
            auto& last = owner[static_cast<std::size_t>(i)];
            if (compare && last == me) ++same;
            last = me;
            for (int k = 0; k < 20000; ++k) __asm__ __volatile__("" ::"r"(k));
          }
        },
        affinity);
    return same.load();
  };
  slow_loop(false);
  int best = 0;
  for (int round = 0; round < 20; ++round) best = std::max(best, slow_loop(true));
  CHECK(best > n / 2);
}
