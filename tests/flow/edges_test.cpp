// SPDX-License-Identifier: Apache-2.0
// Edges: lists of any length from which any may be removed, edges that stay where there is no memory to turn them, and
// the one that an overwrite_node gets beside a put. Ours alone.
#include "support/dialect.h"

#include <doctest/doctest.h>

#include "support/failing_memory.h"

#include <ashlar/flow/edges/edge_list.h>

#include <algorithm>
#include <ctime>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <tuple>
#include <vector>

namespace {

using namespace test;

// ---- the list

void check_same(ashlar::flow::edge_list const& list, std::vector<void*> const& wanted) {
  REQUIRE(list.size() == wanted.size());
  ashlar::flow::edge_copy const all(list);
  REQUIRE(all.size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) REQUIRE(all[i] == wanted[i]);
  if (wanted.empty()) return;
  REQUIRE(list.first() == wanted.front());
  REQUIRE(list.last() == wanted.back());
}

bool remove_latest(std::vector<void*>& from, void* what) {
  auto const at = std::find(from.rbegin(), from.rend(), what);
  if (at == from.rend()) return false;
  from.erase(std::next(at).base());
  return true;
}

// `kinds`: how many different entries there are; few: most are there several times. `failing`: allocations fail.
void compare_lists(unsigned seed, std::size_t most, std::size_t kinds, bool failing) {
  CAPTURE(seed);
  CAPTURE(most);
  CAPTURE(kinds);
  std::mt19937 random(seed);
  std::vector<int> things(kinds);
  ashlar::flow::edge_list list;
  std::vector<void*> wanted;
  wanted.reserve(2 * most);
  bool grows = true;
  for (int step = 0; step < 20000; ++step) {
    if (wanted.size() >= most) grows = false;
    if (wanted.size() <= most / 20) grows = true;
    void* const what = &things[random() % kinds];
    if (failing && random() % 4 == 0) allocations_left = 1;
    if (random() % 4 == 0 ? !grows : grows) {
      try {
        bool const first = random() % 8 == 0;
        first ? list.add_first(what) : list.add(what);
        allocations_left = -1;
        wanted.insert(first ? wanted.begin() : wanted.end(), what);
      } catch (std::bad_alloc const&) {
      }
    } else {
      void* const which = random() % 8 == 0 || wanted.empty() ? what : wanted[random() % wanted.size()];
      bool const removed = list.remove(which);
      allocations_left = -1;
      REQUIRE(removed == remove_latest(wanted, which));
    }
    allocations_left = -1;
    if (step % 4 == 0) {
      REQUIRE(list.has(what) == (std::find(wanted.begin(), wanted.end(), what) != wanted.end()));
    }
    if (step % 16 == 0) check_same(list, wanted);
    if (step % 4096 == 4095) {
      list.clear();
      wanted.clear();
    }
  }
  check_same(list, wanted);
}

TEST_CASE("a list of edges is a list from which the last of an edge is removed") {
  for (unsigned seed = 0; seed < 6; ++seed) {
    for (std::size_t const most : {4, 20, 40, 200, 1000}) {
      compare_lists(seed, most, 2 * most, seed % 2 != 0);
      compare_lists(seed, most, 5, seed % 2 != 0);
    }
  }
}

double processor_seconds() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Takes all, and notes what.
struct taker : flow::receiver<int> {
  explicit taker(graph& its) : g(its) {}
  flow::graph_task* try_put_task(int const& v) override {
    std::lock_guard<std::mutex> const held(mutex);
    got.push_back(v);
    return flow::SUCCESSFULLY_ENQUEUED;
  }
  graph& graph_reference() const override { return g; }
  graph& g;
  std::mutex mutex;
  std::vector<int> got;
};

// Seconds per edge, at most.
template <typename Number>
double time_to_remove(std::size_t edges, Number number) {
  graph g;
  flow::broadcast_node<int> from(g);
  std::deque<taker> to;
  for (std::size_t i = 0; i < edges; ++i) make_edge(from, to.emplace_back(g));
  double const begin = processor_seconds();
  for (std::size_t i = 0; i < edges; ++i) flow::remove_edge(from, to[number(i)]);
  return processor_seconds() - begin;
}

// A search would take 800 million steps.
TEST_CASE("an edge is removed in the same time, however many there are and wherever it is") {
  constexpr std::size_t edges = 40000;
  double const latest = time_to_remove(edges, [](std::size_t i) { return edges - 1 - i; });
  CHECK(time_to_remove(edges, [](std::size_t i) { return i; }) < 20 * latest + 0.1);
  CHECK(time_to_remove(edges, [](std::size_t i) { return i * 7919 % edges; }) < 20 * latest + 0.1);
}

TEST_CASE("the other successors keep their order, and those that come are the last") {
  with_threads(1, [] {
    graph g;
    flow::broadcast_node<int> from(g);
    std::vector<std::size_t> order;
    struct numbered : flow::receiver<int> {
      numbered(graph& its, std::vector<std::size_t>& to, std::size_t n) : g(its), order(to), number(n) {}
      flow::graph_task* try_put_task(int const&) override {
        order.push_back(number);
        return flow::SUCCESSFULLY_ENQUEUED;
      }
      graph& graph_reference() const override { return g; }
      graph& g;
      std::vector<std::size_t>& order;
      std::size_t number;
    };
    std::deque<numbered> to;
    for (std::size_t i = 0; i < 100; ++i) make_edge(from, to.emplace_back(g, order, i));
    std::vector<std::size_t> wanted;
    for (std::size_t i = 0; i < 100; ++i) {
      if (i % 3 == 0) {
        flow::remove_edge(from, to[i]);
      } else {
        wanted.push_back(i);
      }
    }
    make_edge(from, to[0]);
    wanted.push_back(0);
    from.try_put(1);
    g.wait_for_all();
    CHECK(order == wanted);
  });
}

#if !FLOW_CLASSIC
TEST_CASE("each end of an edge registers by a function of oneTBB's inner namespace, too") {
  namespace d2 = tbb::detail::d2;
  graph g;
  flow::buffer_node<int> from(g), to(g);
  CHECK(!d2::register_predecessor<int>(to, from));  // a buffer does not pull
  CHECK(!d2::remove_predecessor<int>(to, from));
  CHECK(d2::register_successor<int>(from, to));
  from.try_put(1);
  g.wait_for_all();
  int got = 0;
  CHECK(to.try_get(got));
  CHECK(got == 1);
  CHECK(d2::remove_successor<int>(from, to));
  from.try_put(2);
  g.wait_for_all();
  CHECK(!to.try_get(got));
  CHECK(from.try_get(got));
}
#endif

// ---- without memory

using rejecting = flow::function_node<int, continue_msg, flow::rejecting>;

// Waits; false: something has thrown.
bool wait(graph& g) {
  try {
    g.wait_for_all();
  } catch (std::bad_alloc const&) {
    return false;
  }
  return true;
}

// Calls f(n) with n from 1 on, until the n-th allocation in it doesn't come. Returns how many have failed.
template <typename F>
int fail_each(F const& f) {
  for (int n = 1; n < 100; ++n) {
    CAPTURE(n);
    bool failed = false;
    with_threads(1, [&] { failed = f(n); });
    if (!failed) return n - 1;
  }
  return 0;
}
bool has_failed() { return allocations_left.exchange(-1) == 0; }

TEST_CASE("an edge that can't turn to pulling for want of memory still pushes") {
  int const failed = fail_each([](int n) {
    graph g;
    std::vector<int> got;
    rejecting f(g, serial, [&](int x) { return got.push_back(x), continue_msg(); });
    flow::queue_node<int> a(g), b(g), c(g);
    make_edge(a, f);
    make_edge(b, f);
    make_edge(c, f);
    f.try_put(0);
    a.try_put(1);
    b.try_put(2);
    allocations_left = n;
    try {
      c.try_put(3);  // the receiver's list of predecessors grows
    } catch (std::bad_alloc const&) {
    }
    bool const failure = has_failed();
    wait(g);
    g.reset();
    got.clear();
    CHECK(c.try_put(4));
    g.wait_for_all();
    CHECK(got == std::vector<int>{4});
    return failure;
  });
  CHECK(failed >= 2);
}

// The same where another successor had taken what came before: its job is not lost.
TEST_CASE("what a successor has taken runs, though another one can't be told for want of memory") {
  int const failed = fail_each([](int n) {
    graph g;
    int runs = 0;
    rejecting busy(g, serial, [](int) { return continue_msg(); });
    flow::function_node<int> other(g, serial, [&](int) { return ++runs, continue_msg(); });
    flow::queue_node<int> a(g), b(g);
    flow::broadcast_node<int> c(g);
    make_edge(a, busy);
    make_edge(b, busy);
    make_edge(c, other);
    make_edge(c, busy);
    busy.try_put(0);
    a.try_put(1);
    b.try_put(2);
    allocations_left = n;
    bool thrown = false;
    try {
      c.try_put(3);
    } catch (std::bad_alloc const&) {
      thrown = true;
    }
    bool const failure = has_failed();
    g.wait_for_all();
    if (!thrown) CHECK(runs == 1);
    int const before = runs;
    c.try_put(4);
    g.wait_for_all();
    CHECK(runs == before + 1);  // it is not stuck
    return failure;
  });
  CHECK(failed >= 1);
}

TEST_CASE("a job of a split_node's port is not lost when the next port can't be told") {
  int const failed = fail_each([](int n) {
    graph g;
    int runs = 0;
    rejecting busy(g, serial, [](int) { return continue_msg(); });
    flow::function_node<int> other(g, serial, [&](int) { return ++runs, continue_msg(); });
    flow::queue_node<int> a(g), b(g);
    flow::split_node<std::tuple<int, int>> c(g);
    make_edge(a, busy);
    make_edge(b, busy);
    make_edge(flow::output_port<0>(c), other);
    make_edge(flow::output_port<1>(c), busy);
    busy.try_put(0);
    a.try_put(1);
    b.try_put(2);
    allocations_left = n;
    try {
      c.try_put(std::tuple<int, int>(3, 3));
    } catch (std::bad_alloc const&) {
    }
    bool const failure = has_failed();
    g.wait_for_all();
    int const before = runs;
    c.try_put(std::tuple<int, int>(4, 4));
    g.wait_for_all();
    CHECK(runs == before + 1);
    return failure;
  });
  CHECK(failed >= 1);
}

// Refuses all, and never asks.
struct refuser : flow::receiver<int> {
  explicit refuser(graph& its) : g(its) {}
  flow::graph_task* try_put_task(int const&) override { return nullptr; }
  graph& graph_reference() const override { return g; }
  graph& g;
};

TEST_CASE("an edge that can't turn back to pushing for want of memory is not lost") {
  int const failed = fail_each([](int n) {
    graph g;
    std::vector<int> got;
    rejecting f(g, serial, [&](int x) { return got.push_back(x), continue_msg(); });
    flow::queue_node<int> q(g);
    refuser r(g), s(g);
    make_edge(q, f);
    f.try_put(0);
    q.try_put(1);  // f is going to ask for it
    make_edge(q, r);
    make_edge(q, s);  // in f's place
    allocations_left = n;
    wait(g);
    bool const failure = has_failed();
    g.reset();
    got.clear();
    CHECK(q.try_put(4));
    g.wait_for_all();
    CHECK(got == std::vector<int>{4});
    return failure;
  });
  CHECK(failed >= 1);
}

TEST_CASE("sources whose edges can't turn to pulling for want of memory go on after a reset") {
  int const failed = fail_each([](int n) {
    graph g;
    int runs = 0, made[3] = {};
    rejecting f(g, serial, [&](int) { return ++runs, continue_msg(); });
    std::deque<source<int>> sources;
    for (int& m : made) make_edge(sources.emplace_back(g, [&m](int& x) { return x = m, m++ < 3; }), f);
    f.try_put(0);
    for (auto& from : sources) from.activate();
    allocations_left = n;
    wait(g);
    bool const failure = has_failed();
    for (int& m : made) m = 0;
    runs = 0;
    g.reset(flow::rf_reset_bodies);
    for (auto& from : sources) from.activate();
    g.wait_for_all();
    CHECK(runs == 9);
    return failure;
  });
  CHECK(failed >= 1);
}

TEST_CASE("an edge to a reserving join for which there is no memory is in neither list") {
  int const failed = fail_each([](int n) {
    graph g;
    using pair = std::tuple<int, int>;
    flow::join_node<pair, flow::reserving> join(g);
    flow::queue_node<int> q[4] = {flow::queue_node<int>(g), flow::queue_node<int>(g), flow::queue_node<int>(g),
                                  flow::queue_node<int>(g)};
    flow::queue_node<pair> out(g);
    make_edge(join, out);
    make_edge(q[0], flow::input_port<0>(join));
    make_edge(q[1], flow::input_port<1>(join));
    make_edge(q[2], flow::input_port<1>(join));
    bool thrown = false;
    allocations_left = n;
    try {
      make_edge(q[3], flow::input_port<1>(join));
    } catch (std::bad_alloc const&) {
      thrown = true;
    }
    bool const failure = has_failed();
    if (thrown) make_edge(q[3], flow::input_port<1>(join));
    q[3].try_put(3);
    q[0].try_put(0);
    g.wait_for_all();
    pair p;
    CHECK((out.try_get(p) && p == pair(0, 3)));
#if FLOW_CLASSIC
    CHECK(q[3].successor_count() == 1);
#endif
    flow::remove_edge(q[3], flow::input_port<1>(join));
    q[3].try_put(3);
    q[0].try_put(0);
    g.wait_for_all();
    CHECK_FALSE(out.try_get(p));
    return failure;
  });
  CHECK(failed >= 2);
}

// ---- an edge beside a put

// The value with the edge, and each one after it, once.
TEST_CASE("an overwrite_node's successor that comes beside a put gets each value once") {
  for (std::size_t const others : {0, 1, 2, 20}) {
    CAPTURE(others);
    with_threads(2, [&] {
      graph g;
      flow::overwrite_node<int> node(g);
      std::deque<taker> always;
      for (std::size_t i = 0; i < others; ++i) make_edge(node, always.emplace_back(g));
      std::deque<taker> late;  // a put may still be on its way to one whose edge was removed
      std::atomic<bool> ended{false};
      node.try_put(0);
      std::thread putter([&] {
        for (int i = 1; i <= 30000; ++i) node.try_put(i);
        ended = true;
      });
      while (!ended && late.size() < 5000) {
        make_edge(node, late.emplace_back(g));
        for (int i = 0; i < 3; ++i) std::this_thread::yield();
        flow::remove_edge(node, late.back());
      }
      putter.join();
      for (taker& one : late) {
        REQUIRE(!one.got.empty());
        std::sort(one.got.begin(), one.got.end());
        for (std::size_t i = 1; i < one.got.size(); ++i) REQUIRE(one.got[i] == one.got[i - 1] + 1);
      }
    });
  }
}

}  // namespace
