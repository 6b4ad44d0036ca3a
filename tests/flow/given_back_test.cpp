// SPDX-License-Identifier: Apache-2.0
// Edges that go back to senders of the program's own, which may throw. Ours alone, in both dialects.
#include "support/dialect.h"

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <utility>

namespace {

using namespace test;

// Takes no edge back as long as it is defiant.
struct defiant_sender : flow::sender<int> {
  bool register_successor(flow::receiver<int>&) override {
    if (defiant) throw std::runtime_error("defiant");
    ++edges_taken;
    return true;
  }
  bool remove_successor(flow::receiver<int>&) override { return true; }
  bool try_get(int& v) override {
    v = message;
    return std::exchange(message, 0) != 0;
  }
  bool defiant = false;
  int message = 0, edges_taken = 0;
};

TEST_CASE("the program's sender that throws when it gets its edge back: the wait throws, and the graph goes on") {
  with_threads(2, [] {
    defiant_sender from;
    graph g;
    int sum = 0;
    flow::function_node<int, continue_msg, flow::rejecting> node(g, serial,
                                                                 [&](int x) { return sum += x, continue_msg(); });
    from.defiant = true;
    static_cast<flow::receiver<int>&>(node).register_predecessor(from);
    CHECK_THROWS_AS(g.wait_for_all(), std::runtime_error);
    CHECK_NOTHROW(g.wait_for_all());
    CHECK(node.try_put(1));  // the node asks the sender afterwards, as before
    CHECK_THROWS_AS(g.wait_for_all(), std::runtime_error);
    CHECK(sum == 1);
    from.defiant = false;
    from.message = 20;
    CHECK(node.try_put(300));
    g.wait_for_all();
    CHECK(sum == 321);
    CHECK(from.edges_taken == 1);
  });
}

TEST_CASE("a sender that throws keeps no other edge from going back, in a cancelled wait or a reset") {
  for (bool const resets : {false, true}) {
    with_threads(2, [&] {
      defiant_sender first, second, third;
      cancellable_graph g;
      flow::limiter_node<int> limiter(*g, 1), other(*g, 1);
      flow::queue_node<int> kept(*g);
      make_edge(limiter, kept);
      make_edge(other, kept);
      limiter.try_put(1);
      other.try_put(2);
      static_cast<flow::receiver<int>&>(limiter).register_predecessor(first);
      static_cast<flow::receiver<int>&>(limiter).register_predecessor(second);
      static_cast<flow::receiver<int>&>(other).register_predecessor(third);
      first.defiant = true;
      if (resets) {
        g->wait_for_all();
        CHECK_THROWS_AS(g->reset(), std::runtime_error);
      } else {
        g.cancel();
        CHECK_THROWS_AS(g->wait_for_all(), std::runtime_error);
        CHECK(g->exception_thrown());
      }
      CHECK(second.edges_taken == 1);
      CHECK(third.edges_taken == 1);
      CHECK_NOTHROW(g->wait_for_all());
      CHECK_FALSE(g->is_cancelled());
    });
  }
}

// Sources of oneTBB's are inactive after a reset.
#if FLOW_CLASSIC
TEST_CASE("a reset that throws restarts the sources, wherever the node stands that throws") {
  for (bool const source_first : {false, true}) {
    with_threads(2, [&] {
      defiant_sender from;
      graph g;
      int left = 0, sum = 0;
      auto const body = [&](int& x) { return x = left, left != 0 && left-- != 0; };
      flow::function_node<int> sink(g, serial, [&](int x) { return sum += x, continue_msg(); });
      std::unique_ptr<flow::source_node<int>> source;
      if (source_first) source = std::make_unique<flow::source_node<int>>(g, body);
      flow::limiter_node<int> limiter(g, 1);
      if (!source_first) source = std::make_unique<flow::source_node<int>>(g, body);
      make_edge(*source, sink);
      static_cast<flow::receiver<int>&>(limiter).register_predecessor(from);
      g.wait_for_all();
      CHECK(sum == 0);
      from.defiant = true;
      left = 3;
      CHECK_THROWS_AS(g.reset(), std::runtime_error);
      g.wait_for_all();
      CHECK(sum == 6);
    });
  }
}
#endif

}  // namespace
