// SPDX-License-Identifier: Apache-2.0
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using range = tbb::blocked_range<int>;

// Concatenation is associative but not commutative: any part out of order shows.
struct concatenation {
  std::string text;
  concatenation() = default;
  concatenation(concatenation&, tbb::split) {}
  void operator()(range const& r) {
    for (int i = r.begin(); i != r.end(); ++i) text += static_cast<char>('a' + i % 26);
  }
  void join(concatenation& right) { text += right.text; }
};

std::string expected_text(int n) {
  std::string s;
  for (int i = 0; i < n; ++i) s += static_cast<char>('a' + i % 26);
  return s;
}

template <typename Partitioner>
void check_order(Partitioner&& partitioner) {
  for (int n : {1, 2, 3, 17, 1000, 20000}) {
    concatenation body;
    tbb::parallel_reduce(range(0, n, 7), body, partitioner);
    CHECK(body.text == expected_text(n));
    tbb::task_group_context context;
    concatenation with_context;
    tbb::parallel_reduce(range(0, n, 3), with_context, partitioner, context);
    CHECK(with_context.text == expected_text(n));
  }
}

}  // namespace

TEST_CASE("parallel_reduce joins in the order of the range") {
  check_order(tbb::auto_partitioner());
  check_order(tbb::simple_partitioner());
  check_order(tbb::static_partitioner());
  tbb::affinity_partitioner affinity;
  check_order(affinity);
  for (int round = 0; round < 200; ++round) {
    concatenation body;
    tbb::parallel_reduce(range(0, 5000), body);
    REQUIRE(body.text == expected_text(5000));
  }
}

TEST_CASE("the functional form returns the combined value") {
  auto const sum = [](range const& r, long value) {
    for (int i = r.begin(); i != r.end(); ++i) value += i;
    return value;
  };
  auto const plus = [](long a, long b) { return a + b; };
  tbb::task_group_context context;
  tbb::affinity_partitioner affinity;
  CHECK(tbb::parallel_reduce(range(0, 100000), 0L, sum, plus) == 4999950000L);
  CHECK(tbb::parallel_reduce(range(0, 100000), 0L, sum, plus, context) == 4999950000L);
  CHECK(tbb::parallel_reduce(range(0, 100000), 0L, sum, plus, affinity) == 4999950000L);
  CHECK(tbb::parallel_reduce(range(0, 100000, 10), 0L, sum, plus, tbb::simple_partitioner(), context) == 4999950000L);
  CHECK(tbb::parallel_deterministic_reduce(range(0, 100000, 100), 0L, sum, plus) == 4999950000L);
  CHECK(tbb::parallel_deterministic_reduce(range(0, 100000, 100), 0L, sum, plus, context) == 4999950000L);
  CHECK(tbb::parallel_deterministic_reduce(range(0, 100000), 0L, sum, plus, tbb::static_partitioner()) == 4999950000L);
}

TEST_CASE("a static division goes by the arena's slots, whatever the limits are") {
  auto const bounds = [](range const& r, std::string text) {
    return text + '[' + std::to_string(r.begin()) + ',' + std::to_string(r.end()) + ')';
  };
  auto const join = [](std::string const& left, std::string const& right) { return '(' + left + right + ')'; };
  auto const divide = [&] {
    return tbb::parallel_deterministic_reduce(range(0, 10), std::string(), bounds, join, tbb::static_partitioner());
  };
  auto const count_parts = [] {
    std::atomic<int> parts{0};
    tbb::parallel_for(range(0, 1000), [&](range const&) { ++parts; }, tbb::static_partitioner());
    return parts.load();
  };
  for (int slots : {1, 2, 3, 5, 20}) {
    tbb::task_arena arena(slots);
    CHECK(arena.execute(count_parts) == slots);
    std::string const first = arena.execute(divide);
    for (std::size_t limit : {1, 2, 4, 32}) {
      tbb::global_control const control(tbb::global_control::max_allowed_parallelism, limit);
      CHECK(arena.execute(count_parts) == slots);
      CHECK(arena.execute(divide) == first);
    }
  }
}

TEST_CASE("values that can only be moved are reduced") {
  struct only_moved {
    std::vector<int> seen;
    only_moved() = default;
    only_moved(only_moved&&) = default;
    only_moved& operator=(only_moved&&) = default;
    only_moved(only_moved const& other) : seen(other.seen) { REQUIRE(seen.empty()); }  // copies of the identity only
  };
  only_moved const result = tbb::parallel_reduce(
      range(0, 3000), only_moved(),
      [](range const& r, only_moved&& v) {
        for (int i = r.begin(); i != r.end(); ++i) v.seen.push_back(i);
        return std::move(v);
      },
      [](only_moved&& a, only_moved&& b) {
        a.seen.insert(a.seen.end(), b.seen.begin(), b.seen.end());
        return std::move(a);
      });
  REQUIRE(result.seen.size() == 3000);
  for (int i = 0; i < 3000; ++i) CHECK(result.seen[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("parallel_deterministic_reduce gives the same rounding in every run") {
  auto const run = [] {
    return tbb::parallel_deterministic_reduce(
        range(0, 300000, 1000), 0.0f,
        [](range const& r, float v) {
          for (int i = r.begin(); i != r.end(); ++i) v += 1.0f / static_cast<float>(i + 1);
          return v;
        },
        [](float a, float b) { return a + b; });
  };
  float const first = run();
  for (int i = 0; i < 100; ++i) REQUIRE(run() == first);
}

TEST_CASE("exceptions of splitting, accumulating and joining are delivered once") {
  struct thrower {
    int where;
    std::atomic<int>* bodies;
    thrower(int w, std::atomic<int>& b) : where(w), bodies(&b) { ++*bodies; }
    thrower(thrower& left, tbb::split) : where(left.where), bodies(left.bodies) {
      if (where == 0) throw std::runtime_error("split");
      ++*bodies;
    }
    ~thrower() { --*bodies; }
    void operator()(range const& r) {
      if (where == 1 && r.begin() >= 900) throw std::runtime_error("accumulate");
    }
    void join(thrower&) {
      if (where == 2) throw std::runtime_error("join");
    }
  };
  for (int where = 0; where < 3; ++where) {
    CAPTURE(where);
    std::atomic<int> bodies{0};
    {
      thrower body(where, bodies);
      bool caught = false;
      try {
        // Every part has a body of its own here, so each place is reached in every run.
        tbb::parallel_deterministic_reduce(range(0, 1000, 10), body);
      } catch (std::runtime_error const&) {
        caught = true;
      }
      CHECK(caught);
    }
    CHECK(bodies == 0);
  }
}

TEST_CASE("a cancelled reduction keeps what a stolen part has found") {
  if (tbb::this_task_arena::max_concurrency() < 2) return;
  for (int i = 0; i < 20; ++i) {
    tbb::task_group_context context;
    std::atomic<bool> found{false};
    int const result = tbb::parallel_reduce(
        range(0, 2), 0,
        [&](range const& r, int value) {
          if (r.begin() == 0) {
            while (!found) std::this_thread::yield();  // until somebody has stolen and done the right part
            return value;
          }
          context.cancel_group_execution();
          found = true;
          return value + 7;
        },
        [](int a, int b) { return a + b; }, tbb::simple_partitioner(), context);
    CHECK(result == 7);
  }
}
