// SPDX-License-Identifier: Apache-2.0
// A loop that was small lately offers its parts reserved. Loops whose bodies have one type that hides what they call
// are told apart.
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>

#include <ashlar/sched/core/slot.h>

#include <doctest/doctest.h>

#include "support/thread_team.h"

#include <atomic>
#include <forward_list>
#include <functional>

// In a sanitizer's build no loop is small.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IF_FAST *doctest::skip()
#else
#define IF_FAST
#endif

namespace {

using range = tbb::blocked_range<int>;
constexpr int indices = 64;

template <typename Loop>
bool offers_reserved(Loop const& loop) {
  std::uint32_t const before = ashlar::sched::this_slot().offers();
  loop();
  return ashlar::sched::this_slot().offers() != before;
}

// `run(body)` is the loop. What is known of the first body says nothing of the others (two of them, since two targets
// may share their memory by chance).
template <typename Body, typename Run>
void check_apart(Body const& first, Body const& second, Body const& third, Run const& run) {
  test::thread_team const two(2);
  tbb::task_arena arena(2);
  arena.execute([&] {
    int times = 0;
    while (!offers_reserved([&] { run(first); })) REQUIRE(++times < 100'000);  // a preempted execution is not small
    bool const of_second = offers_reserved([&] { run(second); });
    bool const of_third = offers_reserved([&] { run(third); });
    CHECK(!(of_second && of_third));
  });
}

std::atomic<int> sum{0};
void add_one(int) { sum.fetch_add(1, std::memory_order_relaxed); }
void add_two(int) { sum.fetch_add(2, std::memory_order_relaxed); }
void add_three(int) { sum.fetch_add(3, std::memory_order_relaxed); }

}  // namespace

TEST_CASE("a small loop is known again by its body's type" IF_FAST) {
  test::thread_team const two(2);
  tbb::task_arena arena(2);
  arena.execute([] {
    int times = 0;
    auto const loop = [] { tbb::parallel_for(0, indices, [](int) {}); };
    while (!offers_reserved(loop)) REQUIRE(++times < 100'000);
  });
}

TEST_CASE("small loops of type-erased functions are told apart" IF_FAST) {
  using function = std::function<void(int)>;
  function const one = [](int) {};
  function const other = [](int i) { static_cast<void>(i); };
  SUBCASE("of lambdas, over indices") {
    check_apart(one, other, function(add_one), [](function const& f) { tbb::parallel_for(0, indices, f); });
  }
  SUBCASE("of pointers") {
    check_apart(function(add_one), function(add_two), function(add_three),
                [](function const& f) { tbb::parallel_for(0, indices, f); });
  }
  SUBCASE("over items") {
    std::forward_list<int> const items(indices);
    check_apart(one, other, function(add_one),
                [&](function const& f) { tbb::parallel_for_each(items.begin(), items.end(), f); });
  }
  SUBCASE("over ranges") {
    using range_function = std::function<void(range const&)>;
    check_apart<range_function>([](range const&) {}, [](range const& r) { static_cast<void>(r); },
                                [](range const& r) { add_one(r.begin()); },
                                [](range_function const& f) { tbb::parallel_for(range(0, indices), f); });
  }
  SUBCASE("reductions") {
    using function_of_sum = std::function<int(range const&, int)>;
    check_apart<function_of_sum>(
        [](range const&, int s) { return s; }, [](range const&, int s) { return s + 1; },
        [](range const&, int s) { return s + 2; },
        [](function_of_sum const& f) { tbb::parallel_reduce(range(0, indices), 0, f, std::plus<int>()); });
  }
}

TEST_CASE("small loops of pointers to functions are told apart" IF_FAST) {
  check_apart(&add_one, &add_two, &add_three, [](void (*f)(int)) { tbb::parallel_for(0, indices, f); });
}
