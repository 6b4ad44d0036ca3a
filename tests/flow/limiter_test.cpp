// SPDX-License-Identifier: Apache-2.0
// A limiter between a node that keeps messages and one that refuses them while it is busy, and a limiter's counts.
#ifndef TBB_PREVIEW_FLOW_GRAPH_TRY_PUT_AND_WAIT
#define TBB_PREVIEW_FLOW_GRAPH_TRY_PUT_AND_WAIT 1
#endif
#include "support/dialect.h"

#include <doctest/doctest.h>

#include <limits>
#include <tuple>
#include <vector>

namespace {

using namespace test;

constexpr int messages = 40;
// A decrement comes before the body of the rejecting node ends, or by the usual edge, behind it.
enum class decrement { by_the_body, by_an_edge };

struct by_itself {
  std::size_t operator()(int v) const { return static_cast<std::size_t>(v); }
};
template <typename Buffer>
struct kept : Buffer {
  explicit kept(graph& g) : Buffer(g) {}
};
template <>
struct kept<flow::sequencer_node<int>> : flow::sequencer_node<int> {
  explicit kept(graph& g) : flow::sequencer_node<int>(g, by_itself()) {}
};

template <typename Buffer>
void pass_all(int threads, std::size_t threshold, decrement how) {
  CAPTURE(threads);
  CAPTURE(threshold);
  CAPTURE(how);
  std::atomic<int> handled{0};
  with_threads(threads, [&] {
    graph g;
    kept<Buffer> from(g);
    flow::limiter_node<int> limiter(g, threshold);
    flow::function_node<int, continue_msg, flow::rejecting> to(g, serial, [&](int) {
      ++handled;
      if (how == decrement::by_the_body) decrement_of(limiter).try_put(continue_msg());
      return continue_msg();
    });
    make_edge(from, limiter);
    make_edge(limiter, to);
    if (how == decrement::by_an_edge) make_edge(to, decrement_of(limiter));
    for (int i = 0; i < messages; ++i) from.try_put(i);
    g.wait_for_all();
  });
  CHECK(handled == messages);
}

TEST_CASE_TEMPLATE("what a buffer sends through a limiter to a node that refuses is handled, and the graph ends",
                   Buffer, flow::buffer_node<int>, flow::queue_node<int>, flow::priority_queue_node<int>,
                   flow::sequencer_node<int>) {
  for (int const threads : {1, 2, 8}) {
    for (std::size_t const threshold : {1, 2, 5}) {
      pass_all<Buffer>(threads, threshold, decrement::by_the_body);
      pass_all<Buffer>(threads, threshold, decrement::by_an_edge);
    }
  }
}

TEST_CASE("what a source sends through limiters to a node that refuses is handled, and the graph ends") {
  for (int const threads : {1, 4}) {
    CAPTURE(threads);
    std::atomic<int> handled{0};
    with_threads(threads, [&] {
      graph g;
      int made = 0;
      source<int> from(g, [&](int& out) {
        out = made;
        return made++ < messages;
      });
      flow::limiter_node<int> first(g, 3), second(g, 2);
      flow::function_node<int, continue_msg, flow::rejecting> to(g, serial, [&](int) {
        ++handled;
        decrement_of(second).try_put(continue_msg());
        decrement_of(first).try_put(continue_msg());
        return continue_msg();
      });
      make_edge(from, first);
      make_edge(first, second);
      make_edge(second, to);
      from.activate();
      g.wait_for_all();
    });
    CHECK(handled == messages);
  }
}

#if !FLOW_CLASSIC
TEST_CASE("a wait for one message behind a limiter ends") {
  for (std::size_t const threshold : {1, 2}) {
    CAPTURE(threshold);
    std::atomic<int> handled{0};
    with_threads(1, [&] {
      graph g;
      flow::queue_node<int> from(g);
      flow::limiter_node<int> limiter(g, threshold);
      flow::function_node<int, continue_msg, flow::rejecting> to(g, serial, [&](int v) {
        for (int i = 0; v == messages && i < messages; ++i) from.try_put(i);
        ++handled;
        decrement_of(limiter).try_put(continue_msg());
        return continue_msg();
      });
      make_edge(from, limiter);
      make_edge(limiter, to);
      for (int i = 0; i < messages; ++i) from.try_put(i);
      CHECK(from.try_put_and_wait(messages));
      g.wait_for_all();
    });
    CHECK(handled == 2 * messages + 1);
  }
}

#ifndef FLOW_PEER
TEST_CASE("a node whose queue is bounded gets what a limiter holds back") {
  for (int const threads : {1, 4}) {
    CAPTURE(threads);
    std::atomic<int> handled{0};
    with_threads(threads, [&] {
      graph g;
      flow::queue_node<int> from(g);
      flow::limiter_node<int> limiter(g, 4);
      flow::function_node<int, continue_msg, flow::queueing_bounded> to(
          g, serial,
          [&](int) {
            ++handled;
            decrement_of(limiter).try_put(continue_msg());
            return continue_msg();
          },
          flow::queueing_bounded(2));
      make_edge(from, limiter);
      make_edge(limiter, to);
      for (int i = 0; i < messages; ++i) from.try_put(i);
      g.wait_for_all();
    });
    CHECK(handled == messages);
  }
}
#endif
#endif

#if !FLOW_CLASSIC
TEST_CASE("a limiter may be decremented by an unsigned number") {
  graph g;
  flow::limiter_node<int, unsigned short> limiter(g, 2);
  flow::queue_node<int> to(g);
  make_edge(limiter, to);
  CHECK(limiter.try_put(1));
  CHECK(limiter.try_put(2));
  CHECK_FALSE(limiter.try_put(3));
  decrement_of(limiter).try_put(1);
  CHECK(limiter.try_put(4));
  CHECK_FALSE(limiter.try_put(5));
  g.wait_for_all();
}

TEST_CASE("a limiter counts up to the largest threshold, and by any decrement") {
  graph g;
  constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();
  constexpr long long half = std::numeric_limits<long long>::max();
  flow::limiter_node<int, long long> limiter(g, largest);
  flow::queue_node<int> to(g);
  make_edge(limiter, to);
  CHECK(limiter.try_put(1));
  CHECK(decrement_of(limiter).try_put(-half));  // 2^63
  CHECK(limiter.try_put(2));
  CHECK(decrement_of(limiter).try_put(-half));  // the threshold, and no more
  CHECK_FALSE(limiter.try_put(3));
  CHECK(decrement_of(limiter).try_put(half));
  CHECK(limiter.try_put(4));
  CHECK(decrement_of(limiter).try_put(std::numeric_limits<long long>::min()));
  CHECK_FALSE(limiter.try_put(5));
  g.wait_for_all();
}
#endif

}  // namespace
