// SPDX-License-Identifier: Apache-2.0
// Switches of classic TBB that change what nodes do.
#define TBB_DEPRECATED_MESSAGE_FLOW_ORDER 1
#define TBB_DEPRECATED_SEQUENCER_DUPLICATES 1
#include "support/dialect.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace {

using namespace test;
using pass = flow::function_node<int, int>;

TEST_CASE("serial nodes send messages in the order in which they have come") {
  for (int const threads : {1, 2, 8, 32}) {
    CAPTURE(threads);
    with_threads(threads, [] {
      constexpr int messages = 2000;
      graph g;
      std::vector<int> order;
      auto const body = [](int x) {
        disturb(static_cast<std::size_t>(x));
        return x;
      };
      pass first(g, serial, body), second(g, serial, body), third(g, serial, body);
      flow::function_node<int> last(g, serial, [&](int x) { return order.push_back(x), continue_msg(); });
      make_edge(first, second);
      make_edge(second, third);
      make_edge(third, last);
      for (int i = 0; i < messages; ++i) first.try_put(i);
      g.wait_for_all();
      CHECK(order.size() == messages);
      CHECK(std::is_sorted(order.begin(), order.end()));
    });
  }
}

struct numbered {
  std::size_t number;
  int value;
};

TEST_CASE("a sequencer takes a number twice: what waits is replaced, and what comes late is dropped") {
  graph g;
  std::vector<int> values;
  flow::sequencer_node<numbered> sequence(g, [](numbered const& m) { return m.number; });
  auto const put = [&](std::size_t number, int value) {
    CHECK(sequence.try_put(numbered{number, value}));
    g.wait_for_all();
  };
  put(1, 10);
  put(1, 11);
  put(0, 0);
  put(0, 1);
  numbered m{};
  CHECK(sequence.try_get(m));
  CHECK(m.value == 1);
  flow::function_node<numbered> last(g, serial, [&](numbered x) { return values.push_back(x.value), continue_msg(); });
  make_edge(sequence, last);
  g.wait_for_all();
  put(3, 30);
  put(3, 31);
  put(1, 12);
  put(2, 20);
  put(2, 21);
  CHECK(values == std::vector<int>{11, 20, 31});
}

#ifndef FLOW_PEER
// Counts what exists, and can't be copied while it is told so.
struct fragile {
  explicit fragile(std::size_t n) : number(n) { ++alive; }
  fragile(fragile const& o) : number(o.number) {
    if (breaks) throw std::runtime_error("copy");
    ++alive;
  }
  fragile(fragile&& o) noexcept : number(o.number) { ++alive; }
  fragile& operator=(fragile const&) = default;
  ~fragile() { --alive; }
  std::size_t number;
  static inline int alive = 0;
  static inline bool breaks = false;
};

TEST_CASE("what is replaced is destroyed, and stays if the other can't be copied") {
  {
    graph g;
    flow::sequencer_node<fragile> sequence(g, [](fragile const& m) { return m.number; });
    fragile const one(1);
    CHECK(sequence.try_put(one));
    CHECK(fragile::alive == 2);
    CHECK(sequence.try_put(one));
    CHECK(fragile::alive == 2);
    fragile::breaks = true;
    CHECK_THROWS_AS(sequence.try_put(one), std::runtime_error);
    fragile::breaks = false;
    CHECK(fragile::alive == 2);
    CHECK(sequence.try_put(fragile(0)));
    fragile got(7);
    CHECK(sequence.try_get(got));
    CHECK(sequence.try_get(got));
    CHECK(got.number == 1);
    CHECK(!sequence.try_get(got));
  }
  CHECK(fragile::alive == 0);
}
#endif

}  // namespace
