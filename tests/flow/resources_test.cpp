// SPDX-License-Identifier: Apache-2.0
// Nodes whose bodies need resources that others need as well (a preview of oneTBB's).
#define TBB_PREVIEW_FLOW_GRAPH_TRY_PUT_AND_WAIT 1
#include "support/resources.h"

#include <doctest/doctest.h>

#include "support/eventually.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace test;
using flow::input_port;

TEST_CASE("a handle is one body's at a time, and each message is handled once") {
  for (int const p : thread_counts) {
    CAPTURE(p);
    with_threads(p, [] {
      graph g;
      constexpr int messages = 400;
      resource_limiter<int> both{0, 1};
      crowd users[2], all;
      arrivals seen(messages);
      auto const body = [&](int const& x, ports& out, int& handle) {
        crowd::visit const one(users[handle]);
        crowd::visit const any(all);
        disturb(as_index(x));
        std::get<0>(out).try_put(x);
      };
      node first(g, unlimited, std::tie(both), body);
      node second(g, 3, std::tie(both), body);
      flow::function_node<int> end(g, serial, [&](int x) { seen.add(as_index(x)); });
      make_edge(output_port<0>(first), end);
      make_edge(output_port<0>(second), end);
      for (int i = 0; i < messages; ++i) (i % 2 == 0 ? first : second).try_put(i);
      g.wait_for_all();
      CHECK(seen.each_once());
      CHECK(users[0].most() <= 1);
      CHECK(users[1].most() <= 1);
      CHECK(all.most() <= 2);
    });
  }
}

TEST_CASE("a wait for one message ends before the node's next one, as many as there may be") {
  with_threads(1, [] {
    constexpr int all = 1000;
    graph g;
    resource_limiter<int> limiter{0};
    node* self = nullptr;
    int runs = 0;
    node serially(g, serial, std::tie(limiter), [&](int const& x, ports&, int&) {
      if (++runs < all) self->try_put(x);
    });
    self = &serially;
    CHECK(serially.try_put_and_wait(1));
    CHECK(runs == 1);
    g.wait_for_all();
    CHECK(runs == all);
  });
}

TEST_CASE("bodies that need the same two resources in any order don't wait for each other in a circle") {
  for (int const p : thread_counts) {
    CAPTURE(p);
    with_threads(p, [] {
      graph g;
      constexpr int messages = 300;
      resource_limiter<std::string> a{"a"}, b{"b"};
      crowd of_a, of_b;
      std::atomic<int> wrong{0}, calls{0};
      node one(g, unlimited, std::tie(a, b), [&](int const& x, ports&, std::string& first, std::string& second) {
        crowd::visit const in_a(of_a), in_b(of_b);
        if (first != "a" || second != "b") ++wrong;
        disturb(as_index(x));
        ++calls;
      });
      node other(g, unlimited, std::tie(b, a), [&](int const& x, ports&, std::string& first, std::string& second) {
        crowd::visit const in_a(of_a), in_b(of_b);
        if (first != "b" || second != "a") ++wrong;
        disturb(as_index(x));
        ++calls;
      });
      node single(g, unlimited, std::tie(a), [&](int const&, ports&, std::string&) {
        crowd::visit const in_a(of_a);
        ++calls;
      });
      for (int i = 0; i < messages; ++i) {
        one.try_put(i);
        other.try_put(i);
        single.try_put(i);
      }
      g.wait_for_all();
      CHECK(calls == 3 * messages);
      CHECK(wrong == 0);
      CHECK(of_a.most() == 1);
      CHECK(of_b.most() == 1);
    });
  }
}

TEST_CASE("handles are made of lists, ranges, containers, and in place") {
  with_threads(2, [] {
    graph g;
    std::vector<int> const values{3, 4, 5};
    resource_limiter<int> of_list{1, 2}, of_range(values.begin(), values.end()), of_container(values);
    resource_limiter<std::unique_ptr<int>> in_place(std::piecewise_construct, std::forward_as_tuple(new int(6)),
                                                    std::forward_as_tuple(new int(7)));
    std::atomic<int> wrong{0}, calls{0};
    node n(g, unlimited, std::tie(of_list, of_range, of_container, in_place),
           [&](int const&, ports&, int& x, int& y, int& z, std::unique_ptr<int>& u) {
             if (x < 1 || x > 2 || y < 3 || y > 5 || z < 3 || z > 5 || *u < 6 || *u > 7) ++wrong;
             ++calls;
           });
    for (int i = 0; i < 50; ++i) n.try_put(i);
    g.wait_for_all();
    CHECK(calls == 50);
    CHECK(wrong == 0);
  });
}

TEST_CASE("what a body does to its handle stays") {
  with_threads(8, [] {
    graph g;
    resource_limiter<int> counter{0};
    node n(g, unlimited, std::tie(counter), [](int const&, ports&, int& count) { ++count; });
    for (int i = 0; i < 300; ++i) n.try_put(i);
    g.wait_for_all();
    int sum = 0;
    node last(g, unlimited, std::tie(counter), [&](int const&, ports&, int& count) { sum = count; });
    last.try_put(0);
    g.wait_for_all();
    CHECK(sum == 300);
  });
}

TEST_CASE("a limited node keeps messages while others run, in their order if it is serial") {
  with_threads(8, [] {
    graph g;
    resource_limiter<int> many{1, 2, 3, 4};
    crowd users;
    std::vector<int> order;
    node n(g, serial, std::tie(many), [&](int const& x, ports&, int&) {
      crowd::visit const one(users);
      order.push_back(x);
    });
    for (int i = 0; i < 200; ++i) n.try_put(i);
    g.wait_for_all();
    CHECK(users.most() == 1);
    REQUIRE(order.size() == 200);
    CHECK(std::is_sorted(order.begin(), order.end()));
  });
}

TEST_CASE("a copy of a node has its body and its limiters, and none of its edges") {
  graph g;
  resource_limiter<int> one{5};
  std::atomic<int> sum{0}, ended{0};
  node n(g, unlimited, std::tie(one), [&](int const& x, ports& out, int& handle) {
    sum += x + handle;
    std::get<0>(out).try_put(x);
  });
  flow::function_node<int> end(g, unlimited, [&](int) { ++ended; });
  make_edge(output_port<0>(n), end);
  node copy(n);
  copy.try_put(1);
  g.wait_for_all();
  CHECK(sum == 6);
  CHECK(ended == 0);
}

#ifndef FLOW_PEER
TEST_CASE("a body that throws gives its resources back, and so does a cancelled graph") {
  for (int const p : thread_counts) {
    CAPTURE(p);
    with_threads(p, [] {
      graph g;
      resource_limiter<int> a{1}, b{1, 2};
      std::atomic<int> calls{0};
      std::atomic<bool> throws{true};
      node n(g, unlimited, std::tie(a, b), [&](int const& x, ports&, int&, int&) {
        ++calls;
        if (x == 5 && throws) throw std::runtime_error("five");
      });
      for (int i = 0; i < 100; ++i) n.try_put(i);
      CHECK_THROWS_AS(g.wait_for_all(), std::runtime_error);
      throws = false;
      calls = 0;
      for (int i = 0; i < 100; ++i) CHECK(n.try_put(i));
      g.wait_for_all();
      CHECK(calls == 100);
      for (int i = 0; i < 100; ++i) n.try_put(i);
      g.cancel();
      g.wait_for_all();
      calls = 0;
      for (int i = 0; i < 10; ++i) CHECK(n.try_put(i));
      g.wait_for_all();
      CHECK(calls == 10);
    });
  }
}

// A request outside of a graph.
struct request : ashlar::flow::resource_request {
  request(ashlar::flow::resource_use* uses, std::size_t n) : resource_request(uses, n, &resume) {}
  static void resume(resource_request& r) noexcept { static_cast<request&>(r).resumed = true; }
  bool resumed = false;
};

TEST_CASE("a request for several resources is passed some times only") {
  resource_limiter<int> limiters[2]{{1}, {1}};
  ashlar::flow::resource_use first_uses[1], uses[2], later_uses[1], last_uses[1];
  first_uses[0].pool = uses[0].pool = last_uses[0].pool = &limiters[0];
  uses[1].pool = later_uses[0].pool = &limiters[1];
  request first(first_uses, 1), both(uses, 2), last(last_uses, 1);
  CHECK(first.acquire());
  CHECK(!both.acquire());
  int passed = 0;
  for (; passed < 1000; ++passed) {
    request later(later_uses, 1);
    if (!later.acquire()) break;
    later.release();
    if (passed == 999) FAIL("it is passed for ever");
  }
  CHECK(passed == 16);
}

TEST_CASE("what comes back goes to the oldest request, and to others what that can't use") {
  resource_limiter<int> limiters[2]{{1}, {1}};
  ashlar::flow::resource_use uses_of[5][2];
  auto* const a = &limiters[0];
  auto* const b = &limiters[1];
  uses_of[0][0].pool = uses_of[2][0].pool = uses_of[3][0].pool = a;
  uses_of[1][0].pool = b;
  uses_of[4][0].pool = a;
  uses_of[4][1].pool = b;
  request has_a(uses_of[0], 1), has_b(uses_of[1], 1), both(uses_of[4], 2), of_a(uses_of[2], 1), later(uses_of[3], 1);
  CHECK(has_a.acquire());
  CHECK(has_b.acquire());
  CHECK(!both.acquire());
  CHECK(!of_a.acquire());
  CHECK(!later.acquire());
  has_a.release();  // `both` needs b as well
  CHECK(of_a.resumed);
  CHECK(!both.resumed);
  CHECK(!later.resumed);
  has_b.release();
  CHECK(!both.resumed);
  of_a.release();
  CHECK(both.resumed);
  CHECK(!later.resumed);
  both.release();
  CHECK(later.resumed);
  later.release();
}

TEST_CASE("a limiter without a handle can't be made") {
  std::vector<int> const none;
  CHECK_THROWS_AS(resource_limiter<int>(none.begin(), none.end()), std::invalid_argument);
}

TEST_CASE("a body may need two handles of one limiter") {
  with_threads(8, [] {
    graph g;
    resource_limiter<int> three{1, 2, 3};
    std::atomic<int> same{0}, calls{0};
    node n(g, unlimited, std::tie(three, three), [&](int const&, ports&, int& x, int& y) {
      if (&x == &y) ++same;
      ++calls;
    });
    node single(g, unlimited, std::tie(three), [&](int const&, ports&, int&) { ++calls; });
    for (int i = 0; i < 200; ++i) {
      n.try_put(i);
      single.try_put(i);
    }
    g.wait_for_all();
    CHECK(calls == 400);
    CHECK(same == 0);
  });
}

TEST_CASE("explain tells how many wait for resources") {
  with_threads(4, [] {
    graph g;
    resource_limiter<int> one{1};
    std::atomic<bool> may_end{false}, began{false};
    node n(g, unlimited, std::tie(one), [&](int const&, ports&, int&) {
      began = true;
      while (!may_end) std::this_thread::yield();
    });
    std::thread other([&] {
      for (int i = 0; i < 3; ++i) n.try_put(i);
      g.wait_for_all();
    });
    CHECK(eventually([&] { return began.load(); }));
    CHECK(eventually([&] {
      char* text = nullptr;
      std::size_t size = 0;
      std::FILE* const to = open_memstream(&text, &size);
      g.explain(to);
      std::fclose(to);
      std::string const all(text, size);
      std::free(text);
      return all.find("of those under way so many wait for resources: 2\n") != std::string::npos;
    }));
    may_end = true;
    other.join();
    g.wait_for_all();
  });
}
#endif

}  // namespace
