// SPDX-License-Identifier: Apache-2.0
// Nodes that keep messages: order, who gets a message, reservations, refusing successors, one value that is kept.
#include "support/dialect.h"

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <vector>

namespace {

using namespace test;

constexpr int messages = 300;
constexpr int thread_counts[] = {1, 2, 8};

template <typename Node>
std::vector<int> contents(Node& node) {
  std::vector<int> found;
  for (int x = 0; node.try_get(x);) found.push_back(x);
  return found;
}

std::size_t as_number(int x) { return static_cast<std::size_t>(x); }

TEST_CASE("a queue_node gives in the order of the puts, a priority_queue_node the largest first") {
  with_threads(2, [] {
    graph g;
    flow::queue_node<int> queue(g);
    flow::priority_queue_node<int> largest(g);
    flow::priority_queue_node<int, std::greater<int>> smallest(g);
    flow::buffer_node<int> any(g);
    for (int x : {3, 1, 4, 1, 5, 9, 2, 6}) {
      CHECK(queue.try_put(x));
      CHECK(largest.try_put(x));
      CHECK(smallest.try_put(x));
      CHECK(any.try_put(x));
    }
    g.wait_for_all();
    CHECK(contents(queue) == std::vector<int>{3, 1, 4, 1, 5, 9, 2, 6});
    CHECK(contents(largest) == std::vector<int>{9, 6, 5, 4, 3, 2, 1, 1});
    CHECK(contents(smallest) == std::vector<int>{1, 1, 2, 3, 4, 5, 6, 9});
    int sum = 0;
    for (int x : contents(any)) sum += x;
    CHECK(sum == 31);
    int x = -1;
    CHECK_FALSE((queue.try_get(x) || largest.try_get(x) || any.try_get(x)));
    CHECK(x == -1);
  });
}

#ifndef FLOW_PEER
TEST_CASE("a priority_queue_node with a stable_order gives equal messages in the order of the puts") {
  with_threads(2, [] {
    graph g;
    struct by_ten {
      bool operator()(int a, int b) const { return a / 10 < b / 10; }
    };
    flow::priority_queue_node<int, tbb::stable_order<by_ten>> node(g);
    for (int x : {11, 25, 13, 21, 12, 29, 10}) CHECK(node.try_put(x));
    g.wait_for_all();
    CHECK(contents(node) == std::vector<int>{25, 21, 29, 11, 13, 12, 10});
  });
}
#endif

TEST_CASE("a sequencer_node gives by number, and refuses what has been or is there") {
  with_threads(2, [] {
    graph g;
    flow::sequencer_node<int> node(g, [](int x) { return as_number(x); });
    CHECK(node.try_put(2));
    CHECK(node.try_put(1));
    g.wait_for_all();
    CHECK(contents(node).empty());
    CHECK(node.try_put(0));
    CHECK_FALSE(node.try_put(2));
    g.wait_for_all();
    CHECK(contents(node) == std::vector<int>{0, 1, 2});
    CHECK_FALSE(node.try_put(1));
    CHECK(node.try_put(3));
    g.wait_for_all();
    CHECK(contents(node) == std::vector<int>{3});
  });
}

TEST_CASE("a sequencer_node orders what comes in any order, for a serial node") {
  for (int const threads : thread_counts) {
    with_threads(threads, [] {
      graph g;
      flow::function_node<int, int> shuffle(g, unlimited, [](int x) { return disturb(as_number(x)), x; });
      flow::sequencer_node<int> node(g, [](int x) { return as_number(x); });
      std::vector<int> order;
      flow::function_node<int> sink(g, serial, [&](int x) { return order.push_back(x), continue_msg(); });
      make_edge(shuffle, node);
      make_edge(node, sink);
      for (int i = 0; i < messages; ++i) shuffle.try_put((i & ~15) + 15 - (i & 15));
      for (int i = messages & ~15; i < ((messages + 15) & ~15); ++i) shuffle.try_put(i);
      g.wait_for_all();
      for (std::size_t i = 0; i + 1 < order.size(); ++i) REQUIRE(order[i] + 1 == order[i + 1]);
      CHECK(order.size() >= messages / 16 * 16);
    });
  }
}

TEST_CASE_TEMPLATE("a message goes to one successor, and stays if all refuse", Node, flow::buffer_node<int>,
                   flow::queue_node<int>, flow::priority_queue_node<int>) {
  for (int const threads : thread_counts) {
    with_threads(threads, [] {
      graph g;
      arrivals seen(messages);
      crowd inside;
      auto const body = [&](int x) {
        crowd::visit const here(inside);
        disturb(as_number(x));
        seen.add(as_number(x));
        return continue_msg();
      };
      Node node(g);
      flow::function_node<int, continue_msg, flow::rejecting> a(g, serial, body), b(g, serial, body);
      flow::function_node<int> c(g, serial, body);
      make_edge(node, a);
      make_edge(node, b);
      for (int i = 0; i < messages / 2; ++i) node.try_put(i);
      g.wait_for_all();
      CHECK(inside.most() <= 2);
      make_edge(node, c);
      for (int i = messages / 2; i < messages; ++i) node.try_put(i);
      g.wait_for_all();
      CHECK(seen.each_once());
    });
  }
}

TEST_CASE("a queue and a rejecting serial node: the order stays") {
  for (int const threads : thread_counts) {
    with_threads(threads, [] {
      graph g;
      flow::queue_node<int> queue(g);
      std::vector<int> order;
      flow::function_node<int, continue_msg, flow::rejecting> sink(g, serial, [&](int x) {
        order.push_back(x);
        disturb(as_number(x));
        return continue_msg();
      });
      make_edge(queue, sink);
      for (int i = 0; i < messages; ++i) queue.try_put(i);
      g.wait_for_all();
      REQUIRE(order.size() == messages);
      for (int i = 0; i < messages; ++i) REQUIRE(order[as_number(i)] == i);
    });
  }
}

TEST_CASE("an edge that is made later brings what waits") {
  with_threads(2, [] {
    graph g;
    flow::queue_node<int> queue(g);
    flow::overwrite_node<int> last(g);
    for (int i = 0; i < 10; ++i) {
      queue.try_put(i);
      last.try_put(i);
    }
    g.wait_for_all();
    std::atomic<int> sum{0}, kept{0};
    flow::function_node<int> sink(g, serial, [&](int x) { return sum += x, continue_msg(); }),
        one(g, serial, [&](int x) { return kept += x, continue_msg(); });
    make_edge(queue, sink);
    make_edge(last, one);
    g.wait_for_all();
    CHECK(sum == 45);
    CHECK(kept == 9);
    flow::remove_edge(queue, sink);
    queue.try_put(100);
    g.wait_for_all();
    CHECK(sum == 45);
    CHECK(contents(queue) == std::vector<int>{100});
  });
}

template <typename Node>
void reservation_of(Node& node, graph& g, int first, int second) {
  int x = -1, y = -1;
  CHECK(node.try_reserve(x));
  CHECK(x == first);
  CHECK_FALSE(node.try_reserve(y));
  CHECK_FALSE(node.try_get(y));
  CHECK(node.try_release());
  g.wait_for_all();
  CHECK(node.try_reserve(x));
  CHECK(x == first);
  CHECK(node.try_consume());
  g.wait_for_all();
  CHECK(node.try_reserve(x));
  CHECK(x == second);
  CHECK(node.try_put(-100));
  CHECK(node.try_consume());
  g.wait_for_all();
  CHECK(contents(node) == std::vector<int>{-100});
  CHECK_FALSE(node.try_reserve(y));
}

TEST_CASE("a reservation holds a message: released it is there again, consumed it is gone") {
  with_threads(2, [] {
    graph g;
    flow::queue_node<int> queue(g);
    queue.try_put(1);
    queue.try_put(2);
    g.wait_for_all();
    reservation_of(queue, g, 1, 2);
    flow::priority_queue_node<int> largest(g);
    largest.try_put(1);
    largest.try_put(2);
    g.wait_for_all();
    reservation_of(largest, g, 2, 1);
  });
}

TEST_CASE("what is reserved goes to no successor until it is released") {
  with_threads(2, [] {
    graph g;
    flow::queue_node<int> queue(g);
    std::vector<int> order;
    flow::function_node<int> sink(g, serial, [&](int x) { return order.push_back(x), continue_msg(); });
    queue.try_put(1);
    queue.try_put(2);
    g.wait_for_all();
    int x = 0;
    REQUIRE(queue.try_reserve(x));
    make_edge(queue, sink);
    g.wait_for_all();
    CHECK(order.empty());
    CHECK(queue.try_release());
    g.wait_for_all();
    CHECK(order == std::vector<int>{1, 2});
  });
}

TEST_CASE("a broadcast_node gives to all who take, and keeps nothing") {
  for (int const threads : thread_counts) {
    with_threads(threads, [] {
      graph g;
      flow::broadcast_node<int> node(g);
      CHECK(node.try_put(7));
      std::vector<std::unique_ptr<flow::queue_node<int>>> queues;
      for (int i = 0; i < 10; ++i) {
        queues.emplace_back(new flow::queue_node<int>(g));
        make_edge(node, *queues.back());
      }
      flow::limiter_node<int> closed(g, 0);
      make_edge(node, closed);
      for (int i = 0; i < messages; ++i) CHECK(node.try_put(i));
      g.wait_for_all();
      for (auto& queue : queues) {
        std::vector<int> const found = contents(*queue);
        REQUIRE(found.size() == messages);
        for (int i = 0; i < messages; ++i) REQUIRE(found[as_number(i)] == i);
      }
      int x = 0;
      CHECK_FALSE(node.try_get(x));
    });
  }
}

TEST_CASE("an overwrite_node keeps the last value, a write_once_node the first") {
  with_threads(2, [] {
    graph g;
    flow::overwrite_node<int> last(g);
    flow::write_once_node<int> first(g);
    int x = -1;
    CHECK_FALSE((last.is_valid() || first.is_valid() || last.try_get(x) || first.try_get(x)));
    flow::queue_node<int> from_last(g), from_first(g);
    make_edge(last, from_last);
    make_edge(first, from_first);
    CHECK((last.try_put(1) && last.try_put(2) && first.try_put(1)));
    CHECK_FALSE(first.try_put(2));
    g.wait_for_all();
    CHECK((last.is_valid() && last.try_get(x) && x == 2 && last.try_get(x) && x == 2));
    CHECK((first.is_valid() && first.try_get(x) && x == 1));
    CHECK((last.try_reserve(x) && last.try_consume() && last.is_valid()));
    CHECK((last.try_reserve(x) && last.try_release() && last.is_valid()));
    CHECK(contents(from_last) == std::vector<int>{1, 2});
    CHECK(contents(from_first) == std::vector<int>{1});
    last.clear();
    first.clear();
    CHECK_FALSE((last.is_valid() || first.is_valid() || last.try_get(x)));
    CHECK(first.try_put(3));
    g.wait_for_all();
    CHECK((first.try_get(x) && x == 3));
    flow::overwrite_node<int> copied(last);
    CHECK_FALSE(copied.is_valid());
  });
}

TEST_CASE("a source makes a message when one is taken, and not before") {
  with_threads(2, [] {
    graph g;
    std::atomic<int> made{0};
    source<int> from(g, [&](int& x) { return x = made++, x < 5; });
    int x = -1;
    CHECK_FALSE(from.try_get(x));
    flow::limiter_node<int> limiter(g, 2);
    flow::queue_node<int> queue(g);
    make_edge(from, limiter);
    make_edge(limiter, queue);
    from.activate();
    g.wait_for_all();
    CHECK(contents(queue) == std::vector<int>{0, 1});
    CHECK(made <= 3);
    decrement_of(limiter).try_put(continue_msg());
    g.wait_for_all();
    CHECK(contents(queue) == std::vector<int>{2});
    flow::remove_edge(from, limiter);
    // Without a successor that it could put to, a source makes a message when try_get finds none, for the next call.
    CHECK_FALSE(from.try_get(x));
    g.wait_for_all();
    CHECK(from.try_reserve(x));
    CHECK(x == 3);
    CHECK_FALSE(from.try_reserve(x));
    CHECK(from.try_release());
    g.wait_for_all();
    CHECK(from.try_reserve(x));
    CHECK(x == 3);
    CHECK(from.try_consume());
    g.wait_for_all();
    CHECK_FALSE(from.try_get(x));
    g.wait_for_all();
    CHECK(from.try_get(x));
    CHECK(x == 4);
    CHECK_FALSE(from.try_get(x));
    g.wait_for_all();
    CHECK_FALSE(from.try_get(x));
    g.wait_for_all();
    CHECK(made >= 6);  // after its end it may be asked again
  });
}

TEST_CASE("a source gives each message to all of its successors that take it") {
  for (int const threads : thread_counts) {
    with_threads(threads, [] {
      graph g;
      crowd inside;
      source<int> from(g, [&inside, n = 0](int& x) mutable {
        crowd::visit const here(inside);
        disturb(as_number(n));
        return x = n, n++ < messages;
      });
      arrivals a(messages), b(messages);
      flow::function_node<int> first(g, unlimited, [&](int x) { return a.add(as_number(x)), continue_msg(); });
      flow::function_node<int> second(g, serial, [&](int x) { return b.add(as_number(x)), continue_msg(); });
      make_edge(from, first);
      make_edge(from, second);
      from.activate();
      g.wait_for_all();
      CHECK(a.each_once());
      CHECK(b.each_once());
      CHECK(inside.most() == 1);
    });
  }
}

TEST_CASE("puts and gets from many threads at once") {
  with_threads(8, [] {
    graph g;
    constexpr int each = 2000;
    flow::queue_node<int> queue(g);
    flow::buffer_node<int> buffer(g);
    arrivals seen(4 * each), taken(4 * each);
    std::vector<std::thread> threads;
    std::atomic<int> left{4 * each};
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < each; ++i) {
          queue.try_put(t * each + i);
          buffer.try_put(t * each + i);
        }
      });
      threads.emplace_back([&, t] {
        for (int x = 0; left > 0;) {
          bool const reserve = t == 0 && ours;  // both peers can lose messages beside a reservation
          bool const got = reserve ? buffer.try_reserve(x) : buffer.try_get(x);
          if (got) {
            seen.add(as_number(x));
            --left;
            if (reserve) buffer.try_consume();
          } else {
            std::this_thread::yield();
          }
        }
      });
    }
    for (auto& thread : threads) thread.join();
    g.wait_for_all();
    CHECK(seen.each_once());
    std::vector<int> last(4, -1);
    for (int x : contents(queue)) {
      REQUIRE(last[as_number(x / each)] < x);  // the order of each putter
      last[as_number(x / each)] = x;
      taken.add(as_number(x));
    }
    CHECK(taken.each_once());
  });
}

}  // namespace
