// SPDX-License-Identifier: Apache-2.0
// Nodes whose bodies are coroutines (C++20). Ours alone.
#define TBB_PREVIEW_FLOW_GRAPH_TRY_PUT_AND_WAIT 1
#include "support/dialect.h"

#include <doctest/doctest.h>

#include "support/eventually.h"

#include <tbb/flow_coroutine.h>
#include <tbb/task_group.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace test;

// Awaits a task of another thread, perhaps.
tbb::co_task<int> twice(int x) {
  tbb::task_group group;
  int result = 0;
  group.run([&result, x] {
    disturb(static_cast<std::size_t>(x));
    result = 2 * x;
  });
  co_await group;
  co_return result;
}

TEST_CASE("each message comes out once, and no more coroutines are under way than the limit") {
  for (int const threads : {1, 2, 8}) {
    for (std::size_t const limit : {0, 1, 3}) {
      CAPTURE(threads);
      CAPTURE(limit);
      with_threads(threads, [&] {
        graph g;
        crowd under_way;
        arrivals seen(400);
        flow::coroutine_node<int, int> node(g, limit, [&](int x) -> tbb::co_task<int> {
          crowd::visit const v(under_way);
          int const result = co_await twice(x);
          co_return result + co_await twice(1) - 2;
        });
        flow::function_node<int> last(g, serial,
                                      [&](int x) { return seen.add(static_cast<std::size_t>(x / 2)), continue_msg(); });
        make_edge(node, last);
        for (int i = 0; i < 400; ++i) CHECK(node.try_put(i));
        g.wait_for_all();
        CHECK(seen.each_once());
        if (limit != 0) CHECK(under_way.most() <= static_cast<int>(limit));
      });
    }
  }
}

TEST_CASE("a serial node keeps the order, with messages that can only be moved") {
  with_threads(4, [] {
    graph g;
    std::vector<int> seen;
    flow::coroutine_node<std::unique_ptr<int>, std::unique_ptr<int>> node(
        g, serial, [](std::unique_ptr<int>& p) -> tbb::co_task<std::unique_ptr<int>> {
          *p = co_await twice(*p);
          co_return std::move(p);
        });
    flow::function_node<std::unique_ptr<int>> last(
        g, serial, [&](std::unique_ptr<int> const& p) { return seen.push_back(*p), continue_msg(); });
    make_edge(node, last);
    for (int i = 0; i < 100; ++i) node.try_put(std::make_unique<int>(i));
    g.wait_for_all();
    REQUIRE(seen.size() == 100);
    for (int i = 0; i < 100; ++i) CHECK(seen[static_cast<std::size_t>(i)] == 2 * i);
  });
}

#if !FLOW_CLASSIC  // its task_group has no defer()
// One thread runs many coroutines that all wait for the last of them.
TEST_CASE("a coroutine that waits holds no thread") {
  with_threads(1, [] {
    graph g;
    tbb::task_group gate;
    auto release = gate.defer([] {});
    int begun = 0, over = 0;
    flow::coroutine_node<int> node(g, unlimited, [&](int) -> tbb::co_task<> {
      if (++begun == 50) gate.run(std::move(release));
      co_await gate;
      ++over;
    });
    for (int i = 0; i < 50; ++i) node.try_put(i);
    g.wait_for_all();
    CHECK(begun == 50);
    CHECK(over == 50);
  });
}
#endif

TEST_CASE("an exception before or after the first wait leaves wait_for_all, and the node works again") {
  for (int const threads : {1, 2, 8}) {
    for (bool const late : {false, true}) {
      with_threads(threads, [&] {
        graph g;
        std::atomic<int> sum{0};
        flow::coroutine_node<int, int> node(g, 2, [&](int x) -> tbb::co_task<int> {
          if (x == 5 && !late) throw std::runtime_error("early");
          int const result = co_await twice(x);
          if (x == 5) throw std::runtime_error("late");
          co_return result;
        });
        flow::function_node<int> last(g, serial, [&](int x) { return sum += x, continue_msg(); });
        make_edge(node, last);
        for (int i = 0; i < 20; ++i) node.try_put(i);
        CHECK_THROWS_AS(g.wait_for_all(), std::runtime_error);
        sum = 0;
        for (int i = 10; i < 20; ++i) CHECK(node.try_put(i));
        g.wait_for_all();
        CHECK(sum == 2 * 145);
      });
    }
  }
}

TEST_CASE("a wait for one message waits for its coroutine and what that causes") {
  for (int const threads : {1, 2, 8}) {
    with_threads(threads, [&] {
      graph g;
      arrivals seen(50);
      flow::coroutine_node<int, int> node(g, unlimited, [](int x) { return twice(x); });
      flow::function_node<int> last(g, serial,
                                    [&](int x) { return seen.add(static_cast<std::size_t>(x / 2)), continue_msg(); });
      make_edge(node, last);
      for (int i = 0; i < 50; ++i) {
        node.try_put_and_wait(i);
        CHECK(seen.of(static_cast<std::size_t>(i)) == 1);
      }
      g.wait_for_all();
    });
  }
}

TEST_CASE("a wait for one message ends before the node's next coroutine") {
  with_threads(1, [] {
    constexpr int all = 1000;
    graph g;
    flow::coroutine_node<int, int>* self = nullptr;
    int runs = 0;
    flow::coroutine_node<int, int> node(g, serial, [&](int x) -> tbb::co_task<int> {
      if (++runs < all) self->try_put(x);
      co_return x;
    });
    self = &node;
    CHECK(node.try_put_and_wait(1));
    CHECK(runs == 1);
    g.wait_for_all();
    CHECK(runs == all);
  });
}

// Its copy waits until it is let go, and then fails.
struct stubborn {
  stubborn() = default;
  explicit stubborn(std::atomic<int>* s) : stage(s) {}
  stubborn(stubborn const& other) : stage(other.stage) {
    if (stage == nullptr) return;
    *stage = 1;
    while (*stage == 1) std::this_thread::yield();
    throw std::runtime_error("copy");
  }
  std::atomic<int>* stage = nullptr;
};

TEST_CASE("a message that waits while the copy of another one fails gets its turn") {
  with_threads(2, [] {
    graph g;
    std::atomic<int> runs{0}, stage{0};
    flow::coroutine_node<stubborn> node(g, serial, [&](stubborn&) -> tbb::co_task<> {
      ++runs;
      co_return;
    });
    bool thrown = false;
    std::thread first([&] {
      stubborn const message(&stage);
      try {
        node.try_put(message);
      } catch (std::runtime_error const&) {
        thrown = true;
      }
    });
    CHECK(eventually([&] { return stage == 1; }));
    CHECK(node.try_put(stubborn()));
    stage = 2;
    first.join();
    g.wait_for_all();
    CHECK(thrown);
    CHECK(runs == 1);
    CHECK(node.try_put(stubborn()));
    g.wait_for_all();
    CHECK(runs == 2);
  });
}

}  // namespace
