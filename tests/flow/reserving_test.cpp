// SPDX-License-Identifier: Apache-2.0
// Reserving joins that share their predecessors: what one gives back another one gets.
#include "support/dialect.h"

#include <doctest/doctest.h>

#include <tuple>

namespace {

using namespace test;
using pair = std::tuple<int, int>;

constexpr int thread_counts[] = {1, 2, 8, 32};

TEST_CASE("reserving joins that share queues leave no message behind") {
  for (int const p : thread_counts) {
    CAPTURE(p);
    with_threads(p, [] {
      graph g;
      using pair = std::tuple<int, int>;
      constexpr int each = 300;
      // Three joins of three queues, each of which serves two; tokens of the shared one come back.
      flow::queue_node<int> left(g), right(g), tokens(g);
      flow::join_node<pair, flow::reserving> of_left(g), of_right(g), of_both(g);
      std::atomic<int> singles{0}, doubles{0};
      flow::function_node<pair> use_left(g, flow::unlimited, [&](pair const& v) {
        disturb(static_cast<std::size_t>(std::get<0>(v)));
        ++singles;
        tokens.try_put(std::get<1>(v));
      });
      flow::function_node<pair, continue_msg, flow::rejecting> use_right(g, flow::serial, [&](pair const& v) {
        disturb(static_cast<std::size_t>(std::get<0>(v)));
        ++singles;
        tokens.try_put(std::get<1>(v));
        return continue_msg();
      });
      flow::function_node<pair> use_both(g, flow::serial, [&](pair const&) { ++doubles; });
      make_edge(left, flow::input_port<0>(of_left));
      make_edge(tokens, flow::input_port<1>(of_left));
      make_edge(right, flow::input_port<0>(of_right));
      make_edge(tokens, flow::input_port<1>(of_right));
      make_edge(left, flow::input_port<0>(of_both));
      make_edge(right, flow::input_port<1>(of_both));
      make_edge(of_left, use_left);
      make_edge(of_right, use_right);
      make_edge(of_both, use_both);
      for (int i = 0; i < each; ++i) {
        left.try_put(i);
        if (i == each / 2) {
          tokens.try_put(0);
          tokens.try_put(1);
        }
        right.try_put(i);
      }
      g.wait_for_all();
      CHECK(singles + 2 * doubles == 2 * each);
      int rest = 0;
      CHECK(!left.try_get(rest));
      CHECK(!right.try_get(rest));
      CHECK(tokens.try_get(rest));
      CHECK(tokens.try_get(rest));
      CHECK(!tokens.try_get(rest));
    });
  }
}

#ifndef FLOW_PEER
// Has nothing, and does something else when it is asked.
template <typename F>
class meddler : public flow::sender<int> {
 public:
  explicit meddler(F f) : meddle_(f) {}
  bool register_successor(successor_type&) override { return true; }
  bool remove_successor(successor_type&) override { return true; }
  bool try_reserve(int&) override {
    meddle_();
    return false;
  }

 private:
  F meddle_;
};

TEST_CASE("a reserving join hears of a message that another one has given back") {
  graph g;
  flow::queue_node<int> shared(g), other(g);
  flow::join_node<pair, flow::reserving> has_both(g), lacks_one(g);
  int calls = 0;
  flow::function_node<pair> use(g, flow::serial, [&](pair const&) { ++calls; });
  flow::function_node<pair> never(g, flow::serial, [&](pair const&) { calls += 100; });
  // While lacks_one has the message of `shared`, has_both asks for it in vain.
  bool met = false;
  meddler m([&] {
    if (shared.try_put(2)) met = true;
    other.try_put(1);
  });
  make_edge(shared, flow::input_port<0>(has_both));
  make_edge(other, flow::input_port<1>(has_both));
  make_edge(shared, flow::input_port<0>(lacks_one));
  make_edge(has_both, use);
  make_edge(lacks_one, never);
  g.wait_for_all();
  flow::input_port<1>(lacks_one).register_predecessor(m);
  CHECK(!met);  // nobody has anything
  shared.try_put(1);
  g.wait_for_all();
  CHECK(met);
  CHECK(calls == 1);
}

// Refuses two messages and takes the third one, of which another one comes into a second queue.
class late_taker : public flow::receiver<int> {
 public:
  late_taker(graph& g, flow::queue_node<int>& to) : graph_(g), to_(to) {}

 protected:
  flow::graph_task* try_put_task(int const&) override {
    if (++asked_ != 3) return nullptr;
    to_.try_put(7);
    return flow::SUCCESSFULLY_ENQUEUED;
  }
  graph& graph_reference() const override { return graph_; }

 private:
  graph& graph_;
  flow::queue_node<int>& to_;
  int asked_ = 0;
};

TEST_CASE("what a join gives back may bring it the message that it lacks") {
  with_threads(1, [] {
    graph g;
    flow::queue_node<int> first(g), second(g);
    flow::join_node<pair, flow::reserving> join(g);
    flow::queue_node<pair> out(g);
    late_taker other(g, second);
    make_edge(first, other);
    make_edge(first, flow::input_port<0>(join));
    make_edge(second, flow::input_port<1>(join));
    first.try_put(1);
    first.try_put(2);
    make_edge(join, out);
    g.wait_for_all();
    pair got;
    REQUIRE(out.try_get(got));
    CHECK(got == pair(2, 7));
    flow::remove_edge(first, other);
  });
}

// The port that lacks a message has the same predecessor as the one that gives it back: no news for either.
TEST_CASE("a join with one queue at two ports rests while there is one message") {
  with_threads(1, [] {
    graph g;
    flow::queue_node<int> both(g);
    flow::join_node<pair, flow::reserving> join(g);
    flow::queue_node<pair> out(g);
    make_edge(both, flow::input_port<0>(join));
    make_edge(both, flow::input_port<1>(join));
    make_edge(join, out);
    both.try_put(1);
    g.wait_for_all();
    int left = 0;
    CHECK(both.try_get(left));
    CHECK(left == 1);
  });
}
#endif

}  // namespace
