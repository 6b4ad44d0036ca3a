// SPDX-License-Identifier: Apache-2.0
// Nodes whose queues have a bound: what is beyond it is refused, and stays with those who keep messages. Ours alone.
#define TBB_PREVIEW_FLOW_GRAPH_TRY_PUT_AND_WAIT 1
#include "support/dialect.h"

#include <doctest/doctest.h>

#include "support/eventually.h"

#include <tuple>
#include <vector>

namespace {

using namespace test;
using flow::queueing_bounded;

// A body that waits until it is let go.
struct gate {
  void pass() {
    ++inside;
    while (!open) std::this_thread::yield();
  }
  std::atomic<int> inside{0};
  std::atomic<bool> open{false};
};

TEST_CASE("a node takes as many messages as run and wait, and refuses more") {
  for (std::size_t const limit : {1, 3}) {
    for (std::size_t const room : {0, 1, 5}) {
      CAPTURE(limit);
      CAPTURE(room);
      with_threads(4, [&] {
        graph g;
        gate at;
        std::atomic<int> runs{0};
        flow::function_node<int, continue_msg, queueing_bounded> node(
            g, limit, [&](int) { return at.pass(), ++runs, continue_msg(); }, queueing_bounded(room));
        std::size_t taken = 0;
        while (node.try_put(1)) ++taken;
        CHECK(taken == limit + room);
        at.open = true;
        g.wait_for_all();
        CHECK(runs == static_cast<int>(taken));
        CHECK(node.try_put(1));  // there is room again
        g.wait_for_all();
        CHECK(runs == static_cast<int>(taken) + 1);
      });
    }
  }
}

TEST_CASE("a copy of a node, and one that is made from a set, have the bound") {
  with_threads(2, [] {
    graph g;
    gate at;
    flow::broadcast_node<int> from(g);
    using bounded = flow::function_node<int, continue_msg, queueing_bounded>;
    std::atomic<int> runs{0};
    bounded node(
        flow::follows(from), serial, [&](int) { return at.pass(), ++runs, continue_msg(); }, queueing_bounded(3));
    bounded copy(node);
    for (int i = 0; i < 6; ++i) from.try_put(i);  // which says nothing of refusals
    for (int i = 0; i < 4; ++i) CHECK(copy.try_put(i));
    CHECK_FALSE(copy.try_put(4));
    at.open = true;
    g.wait_for_all();
    CHECK(runs == 8);
  });
}

// A source is not called while the queue behind it is full: memory stays flat.
TEST_CASE("back pressure reaches the source, and each message comes once and in order") {
  for (int const threads : {1, 2, 8}) {
    for (std::size_t const room : {0, 1, 4}) {
      CAPTURE(threads);
      CAPTURE(room);
      with_threads(threads, [&] {
        constexpr int messages = 500;
        graph g;
        std::atomic<int> made{0}, ended{0}, most{0};
        source<int> from(g, [&](int& x) {
          if (made == messages) return false;
          x = made++;
          int const under_way = made - ended;
          if (under_way > most) most = under_way;
          return true;
        });
        using bounded = flow::function_node<int, int, queueing_bounded>;
        bounded first(g, serial, [](int x) { return disturb(static_cast<std::size_t>(x)), x; }, queueing_bounded(room));
        flow::queue_node<int> between(g);
        std::vector<int> seen;
        flow::multifunction_node<int, std::tuple<int>, queueing_bounded> last(
            g, serial, [&](int x, auto&) { seen.push_back(x), ++ended; }, queueing_bounded(room));
        make_edge(from, first);
        make_edge(first, between);
        make_edge(between, last);
        from.activate();
        g.wait_for_all();
        REQUIRE(seen.size() == messages);
        for (int i = 0; i < messages; ++i) CHECK(seen[static_cast<std::size_t>(i)] == i);
        if (threads == 1) CHECK(most <= static_cast<int>(room) + 8);
      });
    }
  }
}

TEST_CASE("several who keep messages get their turn, with everybody's messages once") {
  for (int const threads : {1, 2, 8}) {
    with_threads(threads, [&] {
      constexpr int messages = 200;
      graph g;
      arrivals seen(3 * messages);
      flow::queue_node<int> a(g), b(g);
      flow::buffer_node<int> c(g);
      flow::function_node<int, continue_msg, queueing_bounded> node(
          g, 2,
          [&](int x) {
            return disturb(static_cast<std::size_t>(x)), seen.add(static_cast<std::size_t>(x)), continue_msg();
          },
          queueing_bounded(3));
      make_edge(a, node);
      make_edge(b, node);
      make_edge(c, node);
      for (int i = 0; i < messages; ++i) {
        CHECK(a.try_put(i));
        CHECK(b.try_put(messages + i));
        CHECK(c.try_put(2 * messages + i));
      }
      g.wait_for_all();
      CHECK(seen.each_once());
    });
  }
}

#if !FLOW_CLASSIC
TEST_CASE("a wait for one message ends when that is over, also if it was taken from a queue before") {
  for (int const threads : {1, 2, 8}) {
    with_threads(threads, [&] {
      graph g;
      arrivals seen(100);
      flow::queue_node<int> queue(g);
      flow::function_node<int, continue_msg, queueing_bounded> node(
          g, serial, [&](int x) { return seen.add(static_cast<std::size_t>(x)), continue_msg(); }, queueing_bounded(2));
      make_edge(queue, node);
      for (int i = 0; i < 100; ++i) {
        if (i % 8 != 7) {  // the first ones fill the node, and turn the edge to pulling
          queue.try_put(i);
        } else {
          queue.try_put_and_wait(i);
          CHECK(seen.of(static_cast<std::size_t>(i)) == 1);
        }
      }
      g.wait_for_all();
      CHECK(seen.each_once());
    });
  }
}
#endif

TEST_CASE("after a cancelled wait what waited is dropped, and what others keep comes later") {
  with_threads(4, [] {
    cancellable_graph owner;
    graph& g = *owner;
    gate at;
    std::atomic<int> runs{0};
    flow::queue_node<int> queue(g);
    flow::function_node<int, continue_msg, queueing_bounded> node(
        g, serial, [&](int) { return at.pass(), ++runs, continue_msg(); }, queueing_bounded(2));
    make_edge(queue, node);
    for (int i = 0; i < 10; ++i) queue.try_put(i);
    CHECK(eventually([&] { return at.inside == 1; }));
    owner.cancel();
    at.open = true;
    g.wait_for_all();
    int const before = runs;
    CHECK(queue.try_put(10));
    g.wait_for_all();
    CHECK(runs > before);
    CHECK(node.try_put(1));
    g.wait_for_all();
  });
}

// Gives one message, when it is let go.
struct slow_sender : flow::sender<int> {
  bool register_successor(flow::receiver<int>&) override { return true; }
  bool remove_successor(flow::receiver<int>&) override { return true; }
  bool try_get(int& v) override {
    if (asked++ != 0) return false;
    while (!open) std::this_thread::yield();
    v = 3;
    return true;
  }
  std::atomic<int> asked{0};
  std::atomic<bool> open{false};
};

TEST_CASE("a message that is pulled while a place becomes free does not wait") {
  with_threads(4, [] {
    slow_sender from;
    graph g;
    gate first, second;
    std::atomic<bool> third{false}, in_time{false};
    flow::function_node<int, continue_msg, queueing_bounded> node(
        g, 2,
        [&](int x) {
          if (x == 0) first.pass();
          if (x == 1) second.pass();
          if (x == 2) in_time = eventually([&] { return third.load(); });
          if (x == 3) third = true;
          return continue_msg();
        },
        queueing_bounded(1));
    node.try_put(0);
    node.try_put(1);
    CHECK(eventually([&] { return first.inside == 1 && second.inside == 1; }));
    node.try_put(2);
    static_cast<flow::receiver<int>&>(node).register_predecessor(from);
    second.open = true;  // whose place the message 2 gets, and the message 3 is pulled
    CHECK(eventually([&] { return from.asked == 1; }));
    first.open = true;  // there is nothing for its place
    CHECK(eventually([&] { return from.asked == 2; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    from.open = true;
    g.wait_for_all();
    CHECK(in_time);
    CHECK(third);
  });
}

}  // namespace
