// SPDX-License-Identifier: Apache-2.0
// The graph itself: waiting, external work, reset, edges made and removed, arenas, graphs within graphs; nodes that
// consist of nodes, asynchronous nodes, sets of nodes.
#include "support/dialect.h"

#include <doctest/doctest.h>

#include "support/eventually.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <deque>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

namespace {

using namespace test;

constexpr int messages = 300;
constexpr int thread_counts[] = {1, 2, 8};

std::size_t as_number(int x) { return static_cast<std::size_t>(x); }

TEST_CASE("wait_for_all waits for reserved external work") {
  with_threads(2, [] {
    graph g;
    g.reserve_wait();
    std::atomic<bool> released{false}, waiting{false};
    std::thread other([&] {
      CHECK(eventually([&] { return waiting.load(); }));
      for (int i = 0; i < 200; ++i) std::this_thread::yield();
      released = true;
      g.release_wait();
    });
    waiting = true;
    g.wait_for_all();
    CHECK(released);
    other.join();
    g.wait_for_all();
  });
}

TEST_CASE("a graph that is destroyed ends its work first") {
  for (int const threads : thread_counts) {
    with_threads(threads, [] {
      std::atomic<int> runs{0};
      {
        std::unique_ptr<flow::function_node<int, int>> a, b;
        graph g;
        a.reset(new flow::function_node<int, int>(g, serial, [&](int x) { return ++runs, x; }));
        b.reset(new flow::function_node<int, int>(g, serial, [&](int x) { return ++runs, x; }));
        make_edge(*a, *b);
        for (int i = 0; i < messages; ++i) a->try_put(i);
        g.wait_for_all();
        a->try_put(0);
        g.wait_for_all();
        b.reset();
        a.reset();
      }
      CHECK(runs == 2 * messages + 2);
    });
  }
}

TEST_CASE("the nodes of a graph are visited in the order of their registration") {
  with_threads(1, [] {
    graph g;
    CHECK(g.begin() == g.end());
    CHECK(++g.end() == g.end());
    flow::queue_node<int> a(g);
    flow::function_node<int, int> b(g, serial, [](int x) { return x; });
    std::vector<flow::graph_node*> found;
    {
      flow::broadcast_node<int> c(g);
      for (auto& node : g) found.push_back(&node);
      CHECK(found == std::vector<flow::graph_node*>{&a, &b, &c});
    }
    found.clear();
    graph const& constant = g;
    for (graph::const_iterator i = constant.cbegin(); i != constant.cend(); ++i) {
      found.push_back(const_cast<flow::graph_node*>(&*i));
    }
    CHECK(found == std::vector<flow::graph_node*>{&a, &b});
  });
}

struct counting {
  int operator()(int x) { return x + ++calls; }
  int calls = 0;
};

TEST_CASE("reset: protocol, bodies, edges") {
  with_threads(2, [] {
    graph g;
    flow::function_node<int, int> node(g, serial, counting());
    flow::queue_node<int> queue(g);
    make_edge(node, queue);
    auto const run = [&] {
      node.try_put(0);
      g.wait_for_all();
      int x = -1;
      return queue.try_get(x) ? x : -1;
    };
    CHECK(run() == 1);
    CHECK(run() == 2);
    g.reset();
    CHECK(run() == 3);
    g.reset(flow::rf_reset_bodies);
    CHECK(run() == 1);
    CHECK(flow::copy_body<counting>(node).calls == 1);
    queue.try_put(7);
    g.wait_for_all();
    g.reset(flow::rf_clear_edges);
    CHECK(run() == -1);
    int x = 0;
    CHECK_FALSE(queue.try_get(x));
    CHECK(flow::copy_body<counting>(node).calls == 2);
    make_edge(node, queue);
    CHECK(run() == 3);
    g.reset(static_cast<flow::reset_flags>(flow::rf_reset_bodies | flow::rf_clear_edges));
    CHECK(run() == -1);
    CHECK(flow::copy_body<counting>(node).calls == 1);
  });
}

TEST_CASE("reset makes a source as it was constructed") {
  with_threads(2, [] {
    graph g;
    source<int> from(g, [n = 0](int& x) mutable { return x = n, n++ < 5; });
    flow::queue_node<int> queue(g);
    make_edge(from, queue);
    auto const count = [&] {
      g.wait_for_all();
      int n = 0;
      for (int x = 0; queue.try_get(x);) ++n;
      return n;
    };
    from.activate();
    CHECK(count() == 5);
    g.reset(flow::rf_reset_bodies);
    CHECK(count() == 0);
    from.activate();
    CHECK(count() == 5);
  });
}

TEST_CASE("edges that are made and removed while nothing runs") {
  with_threads(8, [] {
    graph g;
    flow::broadcast_node<int> node(g);
    constexpr std::size_t fan = 200;
    std::atomic<int> runs{0};
    std::vector<std::unique_ptr<flow::function_node<int>>> sinks;
    for (std::size_t i = 0; i < fan; ++i) {
      sinks.emplace_back(new flow::function_node<int>(g, unlimited, [&](int) { return ++runs, continue_msg(); }));
    }
    std::vector<bool> edge(fan);
    int expected = 0;
    unsigned seed = 1;
    for (int round = 0; round < 100; ++round) {
      for (int change = 0; change < 20; ++change) {
        seed = seed * 1664525 + 1013904223;
        std::size_t const i = seed >> 16 & 0xffff;
        std::size_t const at = i % fan;
        if (edge[at]) {
          flow::remove_edge(node, *sinks[at]);
        } else {
          make_edge(node, *sinks[at]);
        }
        edge[at] = !edge[at];
      }
      node.try_put(round);
      g.wait_for_all();
      for (bool const there : edge) expected += there;
      REQUIRE(runs == expected);
    }
  });
}

TEST_CASE("edges between base classes") {
  with_threads(2, [] {
    graph g;
    flow::queue_node<int> a(g), b(g);
    flow::sender<int>& from = a;
    flow::receiver<int>& to = b;
    make_edge(from, to);
    CHECK(static_cast<flow::receiver<int>&>(a).try_put(3));
    g.wait_for_all();
    int x = 0;
    CHECK((static_cast<flow::sender<int>&>(b).try_get(x) && x == 3));
    flow::remove_edge(from, to);
    a.try_put(4);
    g.wait_for_all();
    CHECK_FALSE(b.try_get(x));
  });
}

TEST_CASE("a body may build, run and destroy a graph of its own, and run loops") {
  for (int const threads : thread_counts) {
    with_threads(threads, [] {
      graph outer;
      std::atomic<int> sum{0};
      flow::function_node<int> node(outer, unlimited, [&](int x) {
        graph inner;
        flow::function_node<int, int> a(inner, serial, [](int y) { return y + 1; });
        flow::function_node<int> b(inner, unlimited, [&](int y) {
          tbb::parallel_for(0, 10, [&](int) { sum += y; });
          return continue_msg();
        });
        make_edge(a, b);
        for (int i = 0; i < 5; ++i) a.try_put(x);
        inner.wait_for_all();
        return continue_msg();
      });
      for (int i = 0; i < 40; ++i) node.try_put(1);
      outer.wait_for_all();
      CHECK(sum == 40 * 5 * 10 * 2);
    });
  }
}

TEST_CASE("a graph is used by one thread after the other") {
  with_threads(4, [] {
    graph g;
    std::atomic<int> runs{0};
    flow::function_node<int, int> a(g, serial, [&](int x) { return ++runs, x; }),
        b(g, unlimited, [&](int x) { return ++runs, x; });
    make_edge(a, b);
    for (int t = 1; t <= 5; ++t) {
      std::thread([&] {
        for (int i = 0; i < 100; ++i) a.try_put(i);
        g.wait_for_all();
        CHECK(runs == t * 200);
      }).join();
    }
    a.try_put(1);
    g.wait_for_all();
    CHECK(runs == 1002);
  });
}

TEST_CASE("a graph works in the arena in which it was made or reset") {
  with_threads(4, [] {
    tbb::task_arena one(1), two(2);
    std::unique_ptr<graph> g;
    one.execute([&] { g.reset(new graph); });
    crowd inside;
    std::atomic<int> runs{0};
    flow::function_node<int> node(*g, unlimited, [&](int) {
      crowd::visit const here(inside);
      std::this_thread::yield();
      return ++runs, continue_msg();
    });
    for (int i = 0; i < messages; ++i) node.try_put(i);
    one.execute([&] { g->wait_for_all(); });
    CHECK(runs == messages);
    CHECK(inside.most() <= 1);
    two.execute([&] {
      g->reset();
      for (int i = 0; i < messages; ++i) node.try_put(i);
      g->wait_for_all();
    });
    CHECK(runs == 2 * messages);
    CHECK(inside.most() <= 2);
  });
}

TEST_CASE("a composite_node passes messages in and out through its ports") {
  class sum : public flow::composite_node<std::tuple<int, int>, std::tuple<int, int>> {
    using base = flow::composite_node<std::tuple<int, int>, std::tuple<int, int>>;

   public:
    explicit sum(graph& g)
        : base(g),
          join_(g),
          add_(g, serial, [](std::tuple<int, int> const& t) { return std::get<0>(t) + std::get<1>(t); }),
          copies_(g) {
      make_edge(join_, add_);
      make_edge(add_, copies_);
      base::input_ports_type in(flow::input_port<0>(join_), flow::input_port<1>(join_));
      base::output_ports_type out(add_, copies_);
      base::set_external_ports(in, out);
      base::add_visible_nodes(join_, add_);
      base::add_nodes(copies_);
    }

   private:
    flow::join_node<std::tuple<int, int>> join_;
    flow::function_node<std::tuple<int, int>, int> add_;
    flow::broadcast_node<int> copies_;
  };
  for (int const threads : thread_counts) {
    with_threads(threads, [&] {
      graph g;
      sum node(g), behind(g);
      flow::queue_node<int> out(g), copies(g);
      make_edge(flow::output_port<0>(node), flow::input_port<0>(behind));
      make_edge(flow::output_port<1>(node), flow::input_port<1>(behind));
      make_edge(flow::output_port<0>(behind), out);
      make_edge(std::get<1>(behind.output_ports()), copies);
      for (int i = 0; i < messages; ++i) {
        flow::input_port<0>(node).try_put(i);
        std::get<1>(node.input_ports()).try_put(2 * i);
      }
      g.wait_for_all();
      for (flow::queue_node<int>* queue : {&out, &copies}) {
        arrivals seen(messages);  // with more than one thread, serial nodes hand on in no order
        for (int x = 0; queue->try_get(x);) seen.add(x % 6 == 0 ? as_number(x / 6) : messages);
        REQUIRE(seen.total() == messages);
        if (threads == 1) REQUIRE(seen.each_once());
      }
    });
  }
}

// Threads of the program that answer what an async_node asks.
class service {
 public:
  using node_type = flow::async_node<int, int>;
  explicit service(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  service(service const&) = delete;
  ~service() {
    ended_ = true;
    for (auto& thread : threads_) thread.join();
  }
  void ask(int x, node_type::gateway_type& way) {
    way.reserve_wait();
    std::lock_guard<std::mutex> const lock(mutex_);
    asked_.push_back({x, &way});
  }

 private:
  void work() {
    while (!ended_) {
      std::pair<int, node_type::gateway_type*> next{0, nullptr};
      {
        std::lock_guard<std::mutex> const lock(mutex_);
        if (!asked_.empty()) {
          next = asked_.front();
          asked_.pop_front();
        }
      }
      if (next.second == nullptr) {
        std::this_thread::yield();
        continue;
      }
      disturb(as_number(next.first));
      next.second->try_put(2 * next.first);
      next.second->release_wait();
    }
  }
  std::mutex mutex_;
  std::deque<std::pair<int, node_type::gateway_type*>> asked_;
  std::atomic<bool> ended_{false};
  std::vector<std::thread> threads_;
};

TEST_CASE("foreign threads answer through the gateway of an async_node, and the graph waits for them") {
  for (int const threads : thread_counts) {
    with_threads(threads, [] {
      service answering(2);
      graph g;
      service::node_type node(g, unlimited,
                              [&](int x, service::node_type::gateway_type& way) { answering.ask(x, way); });
      arrivals seen(2 * messages);
      flow::function_node<int, int> behind(g, serial, [&](int x) { return seen.add(as_number(x)), x; });
      flow::function_node<int> last(g, unlimited, [&](int x) { return seen.add(as_number(x) + 1), continue_msg(); });
      make_edge(node, behind);
      make_edge(behind, last);
      for (int i = 0; i < messages; ++i) node.try_put(i);
      g.wait_for_all();
      CHECK(seen.each_once());
    });
  }
}

TEST_CASE("a gateway without a message that asked") {
  with_threads(2, [] {
    graph g;
    flow::async_node<int, int> node(g, serial, [](int, flow::async_node<int, int>::gateway_type&) {});
    arrivals seen(messages);
    flow::function_node<int> behind(g, serial, [&](int x) { return seen.add(as_number(x)), continue_msg(); });
    make_edge(node, behind);
    auto& way = node.gateway();
    way.reserve_wait();
    std::thread other([&] {
      for (int i = 0; i < messages; ++i) CHECK(way.try_put(i));
      way.release_wait();
    });
    g.wait_for_all();
    other.join();
    g.wait_for_all();
    CHECK(seen.each_once());
  });
}

TEST_CASE("nodes that follow and precede sets of nodes") {
  with_threads(2, [] {
    graph g;
    std::atomic<int> sum{0};
    flow::function_node<int> sink(g, unlimited, [&](int x) { return sum += x, continue_msg(); });
    flow::broadcast_node<int> a(g), b(g);
    flow::function_node<int, int> f(flow::follows(a, b), unlimited, [](int x) { return 10 * x; });
    flow::make_edges(f, flow::make_node_set(sink));
    flow::broadcast_node<int> start(flow::precedes(a, b));
    flow::queue_node<int> kept(flow::follows(start));
    start.try_put(3);
    g.wait_for_all();
    CHECK(sum == 60);
    int x = 0;
    CHECK((kept.try_get(x) && x == 3));
    flow::join_node<std::tuple<int, int>> join(flow::follows(a, b), flow::queueing());
    flow::queue_node<std::tuple<int, int>> pairs(g);
    make_edge(join, pairs);
    start.try_put(4);
    g.wait_for_all();
    std::tuple<int, int> pair;
    CHECK((pairs.try_get(pair) && pair == std::tuple<int, int>(4, 4)));
  });
}

TEST_CASE("a loop through a multifunction_node") {
  for (int const threads : thread_counts) {
    with_threads(threads, [] {
      graph g;
      using node_type = flow::multifunction_node<int, std::tuple<int, int>>;
      node_type node(g, serial, [](int x, node_type::output_ports_type& ports) {
        if (x > 0) {
          std::get<0>(ports).try_put(x - 1);
        } else {
          std::get<1>(ports).try_put(x);
        }
      });
      flow::queue_node<int> out(g);
      make_edge(flow::output_port<0>(node), node);
      make_edge(flow::output_port<1>(node), out);
      for (int i = 0; i < 4; ++i) node.try_put(5000);
      g.wait_for_all();
      int n = 0;
      for (int x = 0; out.try_get(x);) n += x == 0;
      CHECK(n == 4);
    });
  }
}

TEST_CASE("two graphs at once, each waited for by its own thread") {
  with_threads(8, [] {
    std::vector<std::thread> users;
    std::atomic<int> right{0};
    for (int u = 0; u < 3; ++u) {
      users.emplace_back([&] {
        graph g;
        std::atomic<int> runs{0};
        flow::function_node<int, int> a(g, serial, [&](int x) { return x; }), b(g, 2, [&](int x) { return ++runs, x; });
        make_edge(a, b);
        for (int round = 1; round <= 20; ++round) {
          for (int i = 0; i < 50; ++i) a.try_put(i);
          g.wait_for_all();
          right += runs == round * 50;
        }
      });
    }
    for (auto& user : users) user.join();
    CHECK(right == 60);
  });
}

}  // namespace
