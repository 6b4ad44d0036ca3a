// SPDX-License-Identifier: Apache-2.0
// A graph that lets a number of messages be under way at once: puts are refused or wait, sources are not called, and
// each message that has come in is delivered once. Ours alone.
#include "support/dialect.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace test;

constexpr int thread_counts[] = {1, 2, 8};

// How many messages are between two places, and how many were at most.
struct traffic {
  std::atomic<int> now{0}, most{0};
  void enter() {
    int const n = ++now;
    for (int seen = most; seen < n && !most.compare_exchange_weak(seen, n);) {
    }
  }
  void leave() { --now; }
};

TEST_CASE("a put above the bound is refused, and taken when a message has ended") {
  with_threads(1, [] {
    graph g;
    int runs = 0;
    flow::function_node<int> f(g, serial, [&](int) { return ++runs, continue_msg(); });
    g.set_bound(3);
    for (int i = 0; i < 3; ++i) CHECK(f.try_put(i));
    CHECK(!f.try_put(3));
    g.wait_for_all();
    CHECK(runs == 3);
    CHECK(f.try_put(4));
    g.wait_for_all();
    CHECK(runs == 4);
    g.set_bound(0);
    for (int i = 0; i < 10; ++i) CHECK(f.try_put(i));
    g.wait_for_all();
    CHECK(runs == 14);
  });
}

TEST_CASE("a refused message gives its place back") {
  graph g;
  flow::limiter_node<int> shut(g, 0);
  g.set_bound(1);
  for (int i = 0; i < 5; ++i) CHECK(!shut.try_put(i));
  flow::queue_node<int> q(g);
  CHECK(q.try_put(1));
}

TEST_CASE("what waits in a node without successors is not under way; half of a pair is") {
  graph g;
  flow::queue_node<int> q(g);
  flow::join_node<std::tuple<int, int>> join(g);
  flow::queue_node<std::tuple<int, int>> pairs(g);
  make_edge(join, pairs);
  g.set_bound(1);
  for (int i = 0; i < 5; ++i) CHECK(q.try_put(i));
  CHECK(flow::input_port<0>(join).try_put(1));
  CHECK(!flow::input_port<1>(join).try_put(1));
  CHECK(!q.try_put(5));
  g.set_bound(2);
  CHECK(flow::input_port<1>(join).try_put(1));
  g.wait_for_all();
  g.set_bound(1);
  CHECK(q.try_put(5));
}

TEST_CASE("waiting puts of many threads: each message once, and never too many") {
  constexpr std::size_t messages = 800;
  for (int const threads : {2, 8}) {  // one is the thread that joins them
    with_threads(threads, [] {
      traffic between;
      arrivals seen(messages);
      graph g;
      flow::function_node<std::size_t, std::size_t> first(g, unlimited, [&](std::size_t x) { return disturb(x), x; });
      flow::function_node<std::size_t, std::size_t> second(g, 2, [](std::size_t x) { return disturb(x + 1), x; });
      flow::function_node<std::size_t> last(g, unlimited, [&](std::size_t x) {
        seen.add(x);
        between.leave();
        return continue_msg();
      });
      make_edge(first, second);
      make_edge(second, last);
      g.set_bound(5);
      g.reserve_wait();
      std::vector<std::thread> putters;
      for (std::size_t t = 0; t < 4; ++t) {
        putters.emplace_back([&, t] {
          for (std::size_t i = t; i < messages; i += 4) {
            bool put = false;
            if (i % 2 == 0) {
              put = first.try_put_wait(i);
            } else {
              while (!(put = first.try_put(i))) std::this_thread::yield();
            }
            CHECK(put);
            between.enter();
          }
        });
      }
      for (auto& p : putters) p.join();
      g.release_wait();
      g.wait_for_all();
      CHECK(seen.each_once());
      // A message may leave before its putter counts it, and a putter may count late.
      CHECK(between.most <= 5 + 4);
    });
  }
}

TEST_CASE("a source is not called while the bound is reached") {
  constexpr int messages = 300;
  for (int const threads : thread_counts) {
    with_threads(threads, [] {
      traffic between;
      arrivals seen(messages);
      graph g;
      source<int> from(g, [&, n = 0](int& x) mutable {
        if (n == messages) return false;
        between.enter();
        return x = n++, true;
      });
      flow::function_node<int, int> work(g, unlimited, [](int x) { return disturb(static_cast<std::size_t>(x)), x; });
      flow::function_node<int> last(g, serial, [&](int x) {
        seen.add(static_cast<std::size_t>(x));
        between.leave();
        return continue_msg();
      });
      make_edge(from, work);
      make_edge(work, last);
      g.set_bound(4);
      from.activate();
      g.wait_for_all();
      CHECK(seen.each_once());
      CHECK(between.most <= 4);
    });
  }
}

constexpr int messages = 200;

TEST_CASE("sources that are pulled from by rejecting nodes, limiters and reserving joins") {
  for (int const threads : thread_counts) {
    for (std::size_t const bound : {2, 3, 20}) {
      with_threads(threads, [&] {
        arrivals seen(messages), pairs(messages);
        graph g;
        auto const counting = [n = 0](int& x) mutable { return x = n, n++ < messages; };
        source<int> one(g, counting), two(g, counting), three(g, counting);
        flow::limiter_node<int> limiter(g, 2);
        flow::function_node<int, continue_msg, flow::rejecting> sink(g, serial, [&](int x) {
          return seen.add(static_cast<std::size_t>(x)), disturb(static_cast<std::size_t>(x)), continue_msg();
        });
        make_edge(one, limiter);
        make_edge(limiter, sink);
        make_edge(sink, decrement_of(limiter));
        using pair = std::tuple<int, int>;
        flow::join_node<pair, flow::reserving> join(g);
        flow::function_node<pair> take(g, serial, [&](pair const& p) {
          return pairs.add(static_cast<std::size_t>(std::get<0>(p) == std::get<1>(p) ? std::get<0>(p) : messages)),
                 continue_msg();
        });
        make_edge(two, flow::input_port<0>(join));
        make_edge(three, flow::input_port<1>(join));
        make_edge(join, take);
        g.set_bound(bound + 1);  // a pair needs two places, beside the first source's
        one.activate();
        two.activate();
        three.activate();
        g.wait_for_all();
        CHECK(seen.each_once());
        CHECK(pairs.each_once());
      });
    }
  }
}

TEST_CASE("bodies put into their own graph as they like") {
  graph g;
  g.set_bound(1);
  int runs = 0;
  using node = flow::multifunction_node<int, std::tuple<int>>;
  node loop(g, serial, [&](int x, node::output_ports_type& ports) {
    ++runs;
    if (x > 0) std::get<0>(ports).try_put(x - 1);
  });
  make_edge(flow::output_port<0>(loop), loop);
  flow::function_node<int> other(g, unlimited, [&](int x) {
    if (x > 0) {
      CHECK(other.try_put(x - 1));
    }
    return ++runs, continue_msg();
  });
  CHECK(loop.try_put(100));
  g.wait_for_all();
  CHECK(other.try_put(10));
  g.wait_for_all();
  CHECK(runs == 112);
}

TEST_CASE("after a cancelled wait all places are free") {
  for (int const threads : thread_counts) {
    with_threads(threads, [] {
      graph g;
      std::atomic<bool> fails{true};
      std::atomic<int> runs{0};
      flow::function_node<int> f(g, serial, [&](int x) {
        if (fails && x == 2) throw std::runtime_error("body");
        return ++runs, continue_msg();
      });
      g.set_bound(8);
      for (int round = 0; round < 20; ++round) {
        fails = true;
        for (int i = 0; i < 8; ++i) f.try_put(i);
        CHECK_THROWS_AS(g.wait_for_all(), std::runtime_error);
        fails = false;
        runs = 0;
        for (int i = 0; i < 8; ++i) CHECK(f.try_put_wait(i));
        g.wait_for_all();
        CHECK(runs == 8);
      }
    });
  }
}

TEST_CASE("a reset frees the places, and sources begin again") {
  graph g;
  int made = 0;
  std::atomic<int> got{0};
  source<int> from(g, [&](int& x) { return x = made, made++ < 10; });
  flow::join_node<std::tuple<int, int>> join(g);
  flow::function_node<std::tuple<int, int>> take(g, serial,
                                                 [&](std::tuple<int, int>) { return ++got, continue_msg(); });
  make_edge(from, flow::input_port<0>(join));
  make_edge(join, take);
  g.set_bound(3);
  from.activate();
  g.wait_for_all();
  CHECK(made == 3);  // they wait for partners
  g.reset();
  from.activate();
  g.wait_for_all();
  CHECK(made == 6);
  CHECK(got == 0);
}

}  // namespace
