// SPDX-License-Identifier: Apache-2.0
// Serial nodes whose messages come faster than they go: order, how many are under way, and that a burst holds up
// nobody.
#include <tbb/flow_graph.h>

#include <doctest/doctest.h>

#include "support/eventually.h"
#include "support/thread_team.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

using namespace tbb::flow;

namespace {

template <typename F>
void with_threads(std::initializer_list<unsigned> numbers, F f) {
  for (unsigned const p : numbers) {
    CAPTURE(p);
    test::thread_team const limit(p);
    tbb::task_arena arena(static_cast<int>(p));
    arena.execute(f);
  }
}

std::string as(int n, std::string*) { return std::to_string(n) + " is a message that needs memory of its own"; }
struct large {
  std::array<int, 40> numbers;
  bool operator==(large const& other) const { return numbers == other.numbers; }
};
large as(int n, large*) {
  large l{};
  l.numbers.fill(n);
  return l;
}
int as(int n, int*) { return n; }

// More messages than one chunk of a queue holds, from this thread, through two serial nodes.
template <typename T>
void in_order() {
  constexpr int messages = 3000;
  graph g;
  std::vector<T> got;
  int handled = 0;
  function_node<T, T> first(g, serial, [&handled](T x) { return ++handled, x; });
  function_node<T> second(g, serial, [&got](T const& x) { got.push_back(x); });
  make_edge(first, second);
  for (int round = 0; round < 3; ++round) {
    got.clear();
    for (int i = 0; i < messages; ++i) REQUIRE(first.try_put(as(i, static_cast<T*>(nullptr))));
    g.wait_for_all();
    REQUIRE(got.size() == messages);
    for (int i = 0; i < messages; ++i) REQUIRE(got[static_cast<std::size_t>(i)] == as(i, static_cast<T*>(nullptr)));
  }
  CHECK(handled == 3 * messages);
}

}  // namespace

TEST_CASE("serial nodes handle what waits in order, whatever a message is") {
  with_threads({1, 2, 8}, [] {
    in_order<int>();
    in_order<std::string>();
    in_order<large>();
  });
}

TEST_CASE("with one thread a burst of messages at most waits before each node") {
  with_threads({1}, [] {
    constexpr int messages = 20'000;
    graph g;
    int made = 0, ended = 0, most = 0;
    input_node<int> source(g, [&](tbb::flow_control& control) {
      if (made == messages) control.stop();
      most = std::max(most, made - ended);
      return made++;
    });
    function_node<int, int> first(g, serial, [](int x) { return x; });
    function_node<int, int> second(g, serial, [](int x) { return x; });
    function_node<int> third(g, serial, [&ended](int) { ++ended; });
    make_edge(source, first);
    make_edge(first, second);
    make_edge(second, third);
    source.activate();
    g.wait_for_all();
    CHECK(ended == messages);
    CHECK(most <= 3 * 16);
  });
}

TEST_CASE("what a message has caused may run while its node goes on") {
  with_threads({2, 8}, [] {
    constexpr int messages = 400;
    graph g;
    std::atomic<int> ended{0};
    bool in_time = true;
    // Short bodies, until one needs what the message before it has caused.
    function_node<int, int> first(g, serial, [&](int x) {
      if (x != messages - 1) return x;
      in_time = test::eventually([&] { return ended.load() >= messages - 1; });
      return x;
    });
    function_node<int> second(g, serial, [&ended](int) { ++ended; });
    make_edge(first, second);
    for (int i = 0; i < messages; ++i) first.try_put(i);
    g.wait_for_all();
    CHECK(in_time);
    CHECK(ended == messages);
  });
}

TEST_CASE("a cancelled graph drops the batch of a serial node, and works again") {
  with_threads({1, 2, 8}, [] {
    graph g;
    int handled = 0;
    function_node<int> node(g, serial, [&](int x) {
      ++handled;
      if (x == 10) g.cancel();
    });
    for (int i = 0; i < 1000; ++i) node.try_put(i);
    g.wait_for_all();
    CHECK(handled == 11);
    for (int i = 100; i < 300; ++i) CHECK(node.try_put(i));
    g.wait_for_all();
    CHECK(handled == 211);
  });
}
