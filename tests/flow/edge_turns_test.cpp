// SPDX-License-Identifier: Apache-2.0
// Edges that change between pushing and pulling: removed meanwhile by any thread, told to receivers of the program, and
// left where they are when that fails. Ours alone.
#include "support/dialect.h"

#include <doctest/doctest.h>

#include "support/failing_memory.h"

#include <algorithm>
#include <functional>
#include <new>
#include <tuple>
#include <vector>

namespace {

using namespace test;
using rejecting = flow::function_node<int, continue_msg, flow::rejecting>;

// ---- a receiver of the program that is told to ask for what it has refused

// Takes what comes only if it is told to, and knows whom it may ask.
struct asker : flow::receiver<int> {
  explicit asker(graph& its) : g(its) {}
  flow::graph_task* try_put_task(int const&) override { return ++offered, nullptr; }
  bool register_predecessor(flow::sender<int>& from) override {
    ++told;
    on_told();
    may_ask.push_back(&from);
    return true;
  }
  bool remove_predecessor(flow::sender<int>& from) override {
    auto const at = std::find(may_ask.begin(), may_ask.end(), &from);
    if (at == may_ask.end()) return false;
    may_ask.erase(at);
    return true;
  }
  graph& graph_reference() const override { return g; }
  graph& g;
  std::function<void()> on_told = [] {};
  std::vector<flow::sender<int>*> may_ask;
  int offered = 0, told = 0;
};

TEST_CASE("an edge that a receiver removes while it is told to ask is removed") {
  for (bool const second : {false, true}) {
    CAPTURE(second);
    graph g;
    flow::queue_node<int> q(g);
    flow::broadcast_node<int> b(g);
    asker r(g);
    auto const check = [&](auto& from) {
      r.offered = r.told = 0;
      make_edge(from, r);
      if (second) make_edge(from, r);
      r.on_told = [&] { flow::remove_edge(from, r); };
      from.try_put(1);
      r.on_told = [] {};
      CHECK(r.told == 1);
      CHECK(r.may_ask.size() == (second ? 1 : 0));
      int const before = r.offered;
      from.try_put(2);
      CHECK(r.offered == before);
      flow::remove_edge(from, r);
      CHECK(r.may_ask.empty());
      from.try_put(3);
      CHECK(r.offered == before);
    };
    check(q);
    check(b);
    g.wait_for_all();
  }
}

// It is told once more, because it may have given the edge back meanwhile.
TEST_CASE("a receiver that refuses another message while it is told is told again") {
  graph g;
  flow::queue_node<int> q(g);
  asker r(g);
  make_edge(q, r);
  r.on_told = [&] {
    if (r.told > 1) return;
    q.try_put(2);
    r.may_ask.push_back(&q);
    q.register_successor(r);  // gives the edge back at once
    r.may_ask.pop_back();
  };
  q.try_put(1);
  CHECK(r.told == 2);
  CHECK(r.may_ask.size() == 2);
  g.wait_for_all();
}

// Refuses all, and never asks.
struct refuser : flow::receiver<int> {
  explicit refuser(graph& its) : g(its) {}
  flow::graph_task* try_put_task(int const&) override { return ++offered, nullptr; }
  graph& graph_reference() const override { return g; }
  graph& g;
  int offered = 0;
};

TEST_CASE("edges of receivers that can't be told are where they were, though there is no memory") {
  graph g;
  flow::queue_node<int> q(g);
  asker r(g);
  refuser other(g), third(g);
  make_edge(q, r);
  make_edge(q, other);
  r.on_told = [&] {
    make_edge(q, third);  // which would take a place
    memory_is_full = true;
    throw std::bad_alloc();
  };
  q.try_put(1);
  memory_is_full = false;
  r.on_told = [] {};
  CHECK(r.may_ask.empty());
  CHECK_THROWS_AS(g.wait_for_all(), std::bad_alloc);
  g.reset();
  r.offered = other.offered = third.offered = 0;
  q.try_put(2);
  CHECK(r.offered == 1);
  CHECK(other.offered == 1);
  CHECK(third.offered == 1);
  g.wait_for_all();
}

// ---- edges that are removed while messages come, and the edge turns to and fro

// What comes when all is over has to stay.
template <typename Nodes>
void remove_beside_puts(int rounds) {
  with_threads(2, [&] {
    Nodes nodes;
    std::atomic<int> begun{0}, ended{0};
    std::thread putter([&] {
      for (int round = 1; round <= rounds; ++round) {
        while (begun < round) std::this_thread::yield();
        for (int i = 0; i < 20; ++i) nodes.put();
        ended = round;
      }
    });
    for (int round = 1; round <= rounds; ++round) {
      nodes.make();
      begun = round;
      for (int i = round % 32; i != 0; --i) disturb(static_cast<std::size_t>(round * 32 + i));
      nodes.remove();
      while (ended < round) std::this_thread::yield();
      nodes.g.wait_for_all();
      nodes.open();
      int const before = nodes.passed;
      for (int i = 0; i < 3; ++i) nodes.put();
      nodes.g.wait_for_all();
      if (nodes.passed != before) {
        FAIL_CHECK("after " << round << " rounds");
        break;
      }
    }
    begun = rounds + 1;
    putter.join();
  });
}

struct queue_before {
  void put() { q.try_put(1); }
  void open() {
    int v;
    while (q.try_get(v)) {
    }
  }
  graph g;
  std::atomic<int> passed{0};
  flow::queue_node<int> q{g};
};
struct queue_before_rejecting : queue_before {
  queue_before_rejecting() : to(g, serial, [this](int) { return ++passed, continue_msg(); }) {}
  void make() { make_edge(q, to); }
  void remove() { flow::remove_edge(q, to); }
  rejecting to;
};
struct queue_before_two : queue_before_rejecting {
  queue_before_two() : other(g, serial, [](int) { return continue_msg(); }) { make_edge(q, other); }
  rejecting other;
};
struct broadcast_before_rejecting {
  broadcast_before_rejecting() : b(g), to(g, serial, [this](int) { return ++passed, continue_msg(); }) {}
  void make() { make_edge(b, to); }
  void remove() { flow::remove_edge(b, to); }
  void put() { b.try_put(1); }
  void open() {}
  graph g;
  std::atomic<int> passed{0};
  flow::broadcast_node<int> b;
  rejecting to;
};
struct queue_before_limiter : queue_before {
  queue_before_limiter() : limiter(g, 1), to(g, serial, [this](int) { return ++passed, continue_msg(); }) {
    make_edge(limiter, to);
    make_edge(to, decrement_of(limiter));
  }
  void make() { make_edge(q, limiter); }
  void remove() { flow::remove_edge(q, limiter); }
  flow::limiter_node<int> limiter;
  flow::function_node<int> to;
};

TEST_CASE("no message passes an edge that was removed while it turned") {
  remove_beside_puts<queue_before_rejecting>(10000);
  remove_beside_puts<queue_before_two>(10000);
  remove_beside_puts<broadcast_before_rejecting>(10000);
  remove_beside_puts<queue_before_limiter>(10000);
}

TEST_CASE("a reserving join behind another one ends, though it gets nothing") {
  graph g;
  using pair = std::tuple<int, int>;
  flow::queue_node<int> a(g), b(g), c(g);
  flow::join_node<pair, flow::reserving> join(g);
  flow::join_node<std::tuple<pair, int>, flow::reserving> behind(g);
  flow::queue_node<std::tuple<pair, int>> out(g);
  make_edge(a, flow::input_port<0>(join));
  make_edge(b, flow::input_port<1>(join));
  make_edge(join, flow::input_port<0>(behind));
  make_edge(c, flow::input_port<1>(behind));
  make_edge(behind, out);
  for (flow::queue_node<int>* q : {&c, &a, &b, &c}) q->try_put(1);
  g.wait_for_all();
  std::tuple<pair, int> v;
  CHECK_FALSE(out.try_get(v));
  int x = 0;
  CHECK(a.try_get(x));
}

}  // namespace
