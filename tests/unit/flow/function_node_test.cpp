// SPDX-License-Identifier: Apache-2.0
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>

#include <doctest/doctest.h>

#include "support/thread_team.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace tbb::flow;

namespace {

// Runs a test with each number of threads.
template <typename F>
void with_threads(F f) {
  for (unsigned const p : {1u, 2u, 8u, 32u}) {
    CAPTURE(p);
    test::thread_team const limit(p);
    tbb::task_arena(static_cast<int>(p)).execute(f);
  }
}
void nap() { std::this_thread::sleep_for(std::chrono::microseconds(200)); }

}  // namespace

TEST_CASE("each message passes through a diamond of function nodes once") {
  with_threads([] {
    graph g;
    std::atomic<long> sum{0};
    function_node<int, int> first(g, unlimited, [](int x) { return x; });
    function_node<int, int> left(g, serial, [](int x) { return 2 * x; });
    function_node<int, int> right(g, 2, [](int x) {
      if (x % 16 == 0) nap();
      return 3 * x;
    });
    function_node<int> last(g, unlimited, [&](int x) { sum += x; });
    make_edge(first, left);
    make_edge(first, right);
    make_edge(left, last);
    make_edge(right, last);
    for (int i = 0; i < 500; ++i) CHECK(first.try_put(i));
    g.wait_for_all();
    CHECK(sum == 5L * 500 * 499 / 2);
  });
}

TEST_CASE("a serial node runs one body at a time, in the order of the puts") {
  with_threads([] {
    graph g;
    std::atomic<int> inside{0};
    std::vector<int> order;
    bool alone = true;
    function_node<int> f(g, serial, [&](int x) {
      if (inside.fetch_add(1) != 0) alone = false;
      if (x % 50 == 0) nap();
      order.push_back(x);
      inside.fetch_sub(1);
    });
    for (int i = 0; i < 300; ++i) f.try_put(i);
    g.wait_for_all();
    CHECK(alone);
    REQUIRE(order.size() == 300);
    for (int i = 0; i < 300; ++i) CHECK(order[static_cast<std::size_t>(i)] == i);
  });
}

TEST_CASE("a limit of n is reached and not exceeded") {
  tbb::task_arena arena(8);
  arena.execute([] {
    graph g;
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    function_node<int> f(g, 3, [&](int) {
      int const n = ++inside;
      for (int m = most; n > m && !most.compare_exchange_weak(m, n);) {
      }
      nap();
      --inside;
    });
    for (int i = 0; i < 100; ++i) f.try_put(i);
    g.wait_for_all();
    CHECK(most <= 3);
  });
}

TEST_CASE("a rejecting node refuses what comes while it runs") {
  tbb::task_arena arena(1);
  arena.execute([] {
    graph g;
    int n = 0;
    function_node<int, continue_msg, rejecting> f(g, serial, [&](int) { ++n; });
    CHECK(f.try_put(1));
    for (int i = 0; i < 4; ++i) CHECK_FALSE(f.try_put(i));
    g.wait_for_all();
    CHECK(n == 1);
    CHECK(f.try_put(1));
    g.wait_for_all();
    CHECK(n == 2);
  });
}

TEST_CASE("continue nodes fire once for each complete round, also if rounds overtake each other") {
  with_threads([] {
    graph g;
    std::atomic<int> n{0};
    std::atomic<int> once{0};
    continue_node<continue_msg> alone(g, [&](continue_msg) { ++once; });
    continue_node<continue_msg> join(g, 1, [&](continue_msg) { ++n; });
    broadcast_node<continue_msg> a(g);
    broadcast_node<continue_msg> b(g);
    make_edge(a, join);
    make_edge(b, join);
    for (int i = 0; i < 3; ++i) alone.try_put(continue_msg());
    std::vector<std::thread> putters;
    for (int t = 0; t < 3; ++t) {
      putters.emplace_back([&, t] {
        for (int i = 0; i < 2000; ++i) {
          if (t == 0) a.try_put(continue_msg());
          if (t == 1) b.try_put(continue_msg());
          if (t == 2) join.try_put(continue_msg());
        }
      });
    }
    for (auto& t : putters) t.join();
    g.wait_for_all();
    CHECK(once == 3);
    CHECK(n == 2000);
  });
}

TEST_CASE("a wavefront of continue nodes") {
  with_threads([] {
    graph g;
    int const n = 20;
    std::vector<std::unique_ptr<continue_node<continue_msg>>> nodes;
    std::vector<int> value(n * n);
    bool right = true;
    for (int i = 0; i < n * n; ++i) {
      nodes.push_back(std::make_unique<continue_node<continue_msg>>(g, [&, i](continue_msg) {
        int const above = i >= n ? value[static_cast<std::size_t>(i - n)] : 0;
        int const before = i % n != 0 ? value[static_cast<std::size_t>(i - 1)] : 0;
        int const expected = value[static_cast<std::size_t>(i)];
        if ((i >= n && above != expected + 1) || (i % n != 0 && before != expected + 1)) right = false;
        ++value[static_cast<std::size_t>(i)];
      }));
    }
    for (int i = 0; i < n * n; ++i) {
      auto const at = [&](int k) -> continue_node<continue_msg>& { return *nodes[static_cast<std::size_t>(k)]; };
      if (i + n < n * n) make_edge(at(i), at(i + n));
      if (i % n + 1 < n) make_edge(at(i), at(i + 1));
    }
    for (int r = 0; r < 5; ++r) {
      nodes[0]->try_put(continue_msg());
      g.wait_for_all();
    }
    CHECK(right);
    for (int const v : value) CHECK(v == 5);
  });
}

TEST_CASE("an exception cancels, is rethrown once, and no later message is lost") {
  with_threads([] {
    graph g;
    std::atomic<int> n{0};
    function_node<int, int> f(g, serial, [](int x) {
      if (x == 7) throw std::runtime_error("seven");
      return x;
    });
    function_node<int> sink(g, 2, [&](int) { ++n; });
    make_edge(f, sink);
    for (int i = 0; i < 100; ++i) f.try_put(i);
    CHECK_THROWS_AS(g.wait_for_all(), std::runtime_error);
    CHECK(g.exception_thrown());
    CHECK(g.is_cancelled());
    n = 0;
    for (int i = 10; i < 20; ++i) CHECK(f.try_put(i));
    g.wait_for_all();
    CHECK(n == 10);
    CHECK_FALSE(g.exception_thrown());
    CHECK_FALSE(g.is_cancelled());
  });
}

TEST_CASE("cancel() drops what is queued and refuses what comes before the wait") {
  with_threads([] {
    graph g;
    std::atomic<int> n{0};
    function_node<int> f(g, serial, [&](int x) {
      ++n;
      if (x == 3) g.cancel();
    });
    for (int i = 0; i < 100; ++i) f.try_put(i);
    g.wait_for_all();
    CHECK(n == 4);
    CHECK(g.is_cancelled());
    CHECK_FALSE(g.exception_thrown());
    CHECK(f.try_put(5));
    g.wait_for_all();
    CHECK(n == 5);
    g.cancel();
    CHECK_FALSE(f.try_put(6));
    g.wait_for_all();
    CHECK(f.try_put(7));
    g.wait_for_all();
    CHECK(n == 6);
  });
}

TEST_CASE("the user's context: cancelled from outside, and by an exception") {
  tbb::task_group_context context;
  graph g(context);
  std::atomic<int> n{0};
  function_node<int> f(g, serial, [&](int x) {
    ++n;
    if (x == 1) context.cancel_group_execution();
    if (x == 2) throw 5;
  });
  f.try_put(1);
  f.try_put(3);
  g.wait_for_all();
  CHECK(g.is_cancelled());
  CHECK(n == 1);
  CHECK_FALSE(context.is_group_execution_cancelled());
  CHECK(f.try_put(2));
  CHECK_THROWS_AS(g.wait_for_all(), int);
  CHECK_FALSE(context.is_group_execution_cancelled());
}

TEST_CASE("wait_for_all in a body of the same graph throws instead of hanging") {
  graph g;
  function_node<int> f(g, serial, [&](int) { g.wait_for_all(); });
  f.try_put(1);
  CHECK_THROWS_AS(g.wait_for_all(), tbb::unsafe_wait);
  graph other;
  int n = 0;
  function_node<int> inner(other, serial, [&](int) { ++n; });
  function_node<int> outer(g, serial, [&](int x) {
    inner.try_put(x);
    other.wait_for_all();
  });
  outer.try_put(1);
  g.wait_for_all();
  CHECK(n == 1);
}

TEST_CASE("reserve_wait holds the wait; a release too many is ignored") {
  graph g;
  std::atomic<bool> done{false};
  g.reserve_wait();
  std::thread t([&] {
    nap();
    done = true;
    g.release_wait();
  });
  g.wait_for_all();
  CHECK(done);
  t.join();
  g.release_wait();
  g.wait_for_all();
}

TEST_CASE("200000 lightweight nodes in a chain, and a lightweight loop") {
  graph g;
  using node = function_node<int, int, lightweight>;
  std::vector<std::unique_ptr<node>> chain;
  int last = 0;
  for (int i = 0; i < 200000; ++i) {
    chain.push_back(std::make_unique<node>(g, unlimited, [&](int x) noexcept { return last = x + 1; }));
    if (i != 0) make_edge(*chain[static_cast<std::size_t>(i - 1)], *chain[static_cast<std::size_t>(i)]);
  }
  chain[0]->try_put(0);
  g.wait_for_all();
  CHECK(last == 200000);
  chain.clear();

  int rounds = 0;
  function_node<int, int, lightweight> back(g, unlimited, [&](int x) noexcept { return x; });
  function_node<int, continue_msg, lightweight> count(g, unlimited, [&](int x) noexcept {
    if (++rounds < 100000) back.try_put(x);
  });
  make_edge(back, count);
  back.try_put(1);
  g.wait_for_all();
  CHECK(rounds == 100000);
}

TEST_CASE("move-only messages") {
  with_threads([] {
    graph g;
    std::atomic<int> sum{0};
    using message = std::unique_ptr<int>;
    function_node<message, message> f(g, serial, [](message p) {
      ++*p;
      return p;
    });
    function_node<message> sink(g, unlimited, [&](message const& p) { sum += *p; });
    make_edge(f, sink);
    for (int i = 0; i < 100; ++i) f.try_put(std::make_unique<int>(i));
    g.wait_for_all();
    CHECK(sum == 5050);
    message kept = std::make_unique<int>(1);
    g.cancel();
    CHECK_FALSE(f.try_put(std::move(kept)));
    CHECK(kept != nullptr);
    g.wait_for_all();
  });
}

TEST_CASE("bodies: copies, reset, member pointers") {
  struct counter {
    int n = 0;
    int operator()(int x) { return n += x; }
  };
  graph g;
  function_node<int, int> f(g, serial, counter());
  f.try_put(3);
  g.wait_for_all();
  CHECK(copy_body<counter>(f).n == 3);
  CHECK_THROWS_AS(copy_body<int>(f), std::bad_cast);
  function_node<int, int> same(f);
  CHECK(copy_body<counter>(same).n == 0);
  g.reset();
  CHECK(copy_body<counter>(f).n == 3);
  g.reset(rf_reset_bodies);
  CHECK(copy_body<counter>(f).n == 0);

  function_node<std::string, std::size_t> size(g, serial, &std::string::size);
  std::size_t got = 0;
  function_node<std::size_t> sink(g, serial, [&](std::size_t s) { got = s; });
  make_edge(size, sink);
  size.try_put("four");
  g.wait_for_all();
  CHECK(got == 4);
  g.reset(rf_clear_edges);
  got = 0;
  size.try_put("four");
  g.wait_for_all();
  CHECK(got == 0);
}

TEST_CASE("a graph works in its arena, also from other arenas, isolated regions and threads") {
  with_threads([] {
    tbb::task_arena two(2);
    graph g(two);
    std::atomic<int> n{0};
    std::atomic<int> elsewhere{0};
    continue_node<continue_msg> f(g, [&](continue_msg) {
      ++n;
      if (tbb::this_task_arena::max_concurrency() != 2) ++elsewhere;
    });
    for (int i = 0; i < 20; ++i) f.try_put(continue_msg());
    g.wait_for_all();
    CHECK(n == 20);
    CHECK(elsewhere == 0);
  });
  with_threads([] {
    graph g;
    std::atomic<int> n{0};
    function_node<int> f(g, serial, [&](int) { ++n; });
    for (int i = 0; i < 20; ++i) f.try_put(i);
    tbb::this_task_arena::isolate([&] {
      f.try_put(1);
      g.wait_for_all();
    });
    CHECK(n == 21);
  });
  tbb::task_arena roomy(4);
  graph g(roomy);
  std::atomic<int> n{0};
  function_node<int> f(g, serial, [&](int) { ++n; });
  f.try_put(1);
  std::thread([&] { g.wait_for_all(); }).join();
  CHECK(n == 1);
}

TEST_CASE("priorities: the highest goes first") {
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, 1);
  tbb::task_arena arena(1);
  arena.execute([] {
    graph g;
    std::vector<int> order;
    std::vector<std::unique_ptr<function_node<int>>> nodes;
    for (int const p : {1, 3, 2}) {
      nodes.push_back(std::make_unique<function_node<int>>(
          g, unlimited, [&, p](int) { order.push_back(p); }, static_cast<node_priority_t>(p)));
    }
    for (int i = 0; i < 2; ++i) {
      for (auto& n : nodes) n->try_put(1);
    }
    g.wait_for_all();
    CHECK(order == std::vector<int>{3, 3, 2, 2, 1, 1});
  });
}

TEST_CASE("an edge between two graphs") {
  graph one;
  graph two;
  std::atomic<int> n{0};
  function_node<int, int> a(one, unlimited, [](int x) { return x; });
  function_node<int> b(two, serial, [&](int) { ++n; });
  function_node<int> c(one, serial, [&](int) { ++n; });
  make_edge(a, b);
  make_edge(a, c);
  for (int i = 0; i < 100; ++i) a.try_put(i);
  one.wait_for_all();
  two.wait_for_all();
  CHECK(n == 200);
}

TEST_CASE("nodes are destroyed, and the graph, while messages are under way") {
  for (int i = 0; i < 50; ++i) {
    std::atomic<int> n{0};
    {
      graph g;
      auto f = std::make_unique<function_node<int>>(g, serial, [&](int) {
        nap();
        ++n;
      });
      for (int k = 0; k < 3; ++k) f->try_put(k);
      f.reset();
      CHECK(n == 3);
      function_node<int> h(g, unlimited, [&](int) { ++n; });
      h.try_put(1);
    }
    CHECK(n == 4);
  }
}

TEST_CASE("try_put_and_wait waits for what the message causes, and for nothing else") {
  with_threads([] {
    graph g;
    std::atomic<int> n{0};
    function_node<int, int> f(g, serial, [](int x) { return x; });
    function_node<int, int> left(g, serial, [](int x) {
      nap();
      return x;
    });
    continue_node<int> both(g, [&](continue_msg) { return ++n; });
    function_node<int, continue_msg> right(g, unlimited, [](int) { return continue_msg(); });
    function_node<int> last(g, serial, [&](int) { ++n; });
    make_edge(f, left);
    make_edge(left, last);
    make_edge(f, right);
    make_edge(right, both);
    for (int i = 0; i < 10; ++i) {
      CHECK(f.try_put_and_wait(i));
      CHECK(n == 2 * (i + 1));
    }
    g.reserve_wait();
    CHECK(f.try_put_and_wait(1));
    g.release_wait();
    g.wait_for_all();
  });
}

TEST_CASE("a program's own sender and receiver") {
  struct own_receiver : receiver<int> {
    explicit own_receiver(graph& its) : g(its) {}
    tbb::flow::graph_task* try_put_task(int const& v) override {
      if (v < 0) return nullptr;
      sum += v;
      return SUCCESSFULLY_ENQUEUED;
    }
    graph& graph_reference() const override { return g; }
    graph& g;
    std::atomic<int> sum{0};
  };
  struct own_sender : sender<int> {
    bool register_successor(successor_type& r) override {
      to = &r;
      return true;
    }
    bool remove_successor(successor_type&) override {
      to = nullptr;
      return true;
    }
    successor_type* to = nullptr;
  };
  graph g;
  own_receiver r(g);
  own_sender s;
  function_node<int, int> f(g, serial, [](int x) { return x; });
  make_edge(f, r);
  make_edge(s, f);
  CHECK(s.to->try_put(4));
  f.try_put(-1);
  g.wait_for_all();
  CHECK(r.sum == 4);
  CHECK_FALSE(r.try_put(-1));
  remove_edge(s, f);
  CHECK(s.to == nullptr);
}
