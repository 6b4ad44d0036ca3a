// SPDX-License-Identifier: Apache-2.0
// Classic TBB's extraction of nodes: who is before and behind a node, and taking it out of the graph.
#define TBB_DEPRECATED_FLOW_NODE_EXTRACTION 1
#include "support/dialect.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <tuple>

namespace {

using namespace test;
using function = flow::function_node<int, int>;

// TBB's lists hold pointers to bases of senders and receivers.
template <typename T, typename List>
bool has(List const& l, T& x) {
  return std::count(l.begin(), l.end(), static_cast<typename List::value_type>(&x)) == 1;
}
template <typename T>
auto before(flow::receiver<T>& r) {
  typename flow::receiver<T>::predecessor_list_type l;
  r.copy_predecessors(l);
  CHECK(l.size() == r.predecessor_count());
  return l;
}
template <typename T>
auto behind(flow::sender<T>& s) {
  typename flow::sender<T>::successor_list_type l;
  s.copy_successors(l);
  CHECK(l.size() == s.successor_count());
  return l;
}

TEST_CASE("a node knows who is before it and behind it") {
  graph g;
  function a(g, serial, [](int x) { return x; }), b(a), c(a), d(a);
  make_edge(a, c);
  make_edge(b, c);
  make_edge(c, d);
  CHECK(before<int>(a).empty());
  CHECK(before<int>(c).size() == 2);
  CHECK(has<flow::sender<int>>(before<int>(c), a));
  CHECK(has<flow::sender<int>>(before<int>(c), b));
  CHECK(has<flow::receiver<int>>(behind<int>(c), d));
  CHECK(behind<int>(d).empty());
  flow::remove_edge(a, c);
  CHECK(before<int>(c).size() == 1);
}

TEST_CASE("what is taken out has no edges, and the others work on") {
  graph g;
  int sum = 0;
  function a(g, serial, [](int x) { return x; }), b(g, serial, [](int x) { return 10 * x; });
  flow::function_node<int> end(g, serial, [&](int x) { return sum += x, continue_msg(); });
  make_edge(a, b);
  make_edge(a, end);
  make_edge(b, end);
  a.try_put(1);
  g.wait_for_all();
  CHECK(sum == 11);
  b.extract();
  CHECK(before<int>(b).empty());
  CHECK(behind<int>(b).empty());
  CHECK(behind<int>(a).size() == 1);
  CHECK(before<int>(end).size() == 1);
  a.try_put(1);
  b.try_put(1);
  g.wait_for_all();
  CHECK(sum == 12);
}

TEST_CASE("a continue_node expects fewer messages without the one that was taken out") {
  graph g;
  int runs = 0;
  using node = flow::continue_node<continue_msg>;
  node a(g, [](continue_msg const&) {}), b(g, [](continue_msg const&) {}), end(g, [&](continue_msg const&) { ++runs; });
  make_edge(a, end);
  make_edge(b, end);
  CHECK(before<continue_msg>(end).size() == 2);
  a.try_put(continue_msg());
  g.wait_for_all();
  CHECK(runs == 0);
  g.reset();
  b.extract();
  a.try_put(continue_msg());
  g.wait_for_all();
  CHECK(runs == 1);
}

TEST_CASE("every kind of node is taken out with all its ports") {
  graph g;
  using pair = std::tuple<int, int>;
  flow::queue_node<int> q(g), r(g), other(g);
  flow::limiter_node<int> limiter(g, 3);
  flow::join_node<pair> join(g);
  flow::split_node<pair> split(g);
  flow::multifunction_node<int, pair> multi(g, serial,
                                            [](int, flow::multifunction_node<int, pair>::output_ports_type&) {});
  flow::overwrite_node<int> last(g);
  flow::broadcast_node<int> all(g);
  flow::broadcast_node<continue_msg> done(g);
  make_edge(q, limiter);
  make_edge(done, limiter.decrement);
  make_edge(limiter, flow::input_port<0>(join));
  make_edge(r, flow::input_port<1>(join));
  make_edge(join, split);
  make_edge(flow::output_port<0>(split), multi);
  make_edge(flow::output_port<1>(split), last);
  make_edge(flow::output_port<1>(multi), all);
  make_edge(last, all);
  make_edge(all, other);

  limiter.extract();
  CHECK(behind<int>(q).empty());
  CHECK(behind<continue_msg>(done).empty());
  CHECK(behind<int>(limiter).empty());
  join.extract();
  CHECK(behind<int>(r).empty());
  CHECK(before<pair>(split).empty());
#ifdef FLOW_PEER  // where it is private
  flow::remove_edge(flow::output_port<0>(split), multi);
  flow::remove_edge(flow::output_port<1>(split), last);
#else
  split.extract();
#endif
  CHECK(before<int>(multi).empty());
  CHECK(before<int>(last).empty());
  multi.extract();
  CHECK(before<int>(all).size() == 1);
  all.extract();
  CHECK(behind<int>(last).empty());
  CHECK(before<int>(other).empty());
  g.wait_for_all();
}

TEST_CASE("an edge that is pulled at the moment is an edge, too") {
  graph g;
  flow::queue_node<int> q(g);
  flow::limiter_node<int> limiter(g, 1);
  flow::queue_node<int> end(g);
  make_edge(q, limiter);
  make_edge(limiter, end);
  for (int i = 0; i < 3; ++i) q.try_put(i);  // one passes, the others wait for a decrement
  g.wait_for_all();
  CHECK(before<int>(limiter).size() == 1);
  limiter.extract();
  CHECK(before<int>(limiter).empty());
  CHECK(before<int>(end).empty());
  int x = -1;
  CHECK((end.try_get(x) && x == 0));
  CHECK((q.try_get(x) && x == 1));
  CHECK((q.try_get(x) && x == 2));
}

TEST_CASE("nodes in a row are taken out one by one while messages went through") {
  graph g;
  std::list<function> row;
  for (int i = 0; i < 20; ++i) {
    row.emplace_back(g, unlimited, [](int x) { return x + 1; });
    if (i > 0) make_edge(*std::prev(row.end(), 2), row.back());
  }
  flow::queue_node<int> end(g);
  make_edge(row.back(), end);
  for (int left = 20; left > 1; --left) {
    row.front().try_put(0);
    g.wait_for_all();
    int x = 0;
    REQUIRE(end.try_get(x));
    REQUIRE(x == left);
    auto const second = std::next(row.begin());
    auto const third = std::next(second);
    second->extract();
    if (third != row.end()) {
      make_edge(row.front(), *third);
    } else {
      make_edge(row.front(), end);
    }
    row.erase(second);
  }
}

}  // namespace
