// SPDX-License-Identifier: Apache-2.0
// Exceptions and cancellation from every kind of node at every place: wait_for_all gives the exception on once, no body
// begins after the wait, and a reset graph works as before. Ours works again without a reset, too.
#include "support/dialect.h"

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace test;

constexpr int messages = 100;
constexpr int thread_counts[] = {1, 2, 8};
// The nodes of the line below whose bodies are the user's.
char const* const places[] = {"source", "function serial", "function unlimited", "rejecting", "multifunction",
                              "async",  "sequencer",       "key of a join",      "continue",  "lightweight",
                              "sink"};

struct failure : std::runtime_error {
  explicit failure(std::string const& place) : std::runtime_error(place) {}
};

// A line through a node of every kind. At the `place` the message `at` does `act`.
class line {
 public:
  using pair = std::tuple<int, int>;
  // Without the sequencer in its place: a number that was lost would be missing in it for ever.
  template <typename Act>
  line(graph& g, Act const& act, bool in_sequence = true)
      : from_(g, [this, act](int& x) { return x = made_, act("source", x), made_++ < messages; }),
        limiter_(g, 16),
        serial_(g, serial, [act](int x) { return act("function serial", x), x; }),
        unlimited_(g, unlimited, [act](int x) { return act("function unlimited", x), x; }),
        queue_(g),
        rejecting_(g, 2, [act](int x) { return act("rejecting", x), x; }),
        multi_(g, unlimited,
               [act](int x, multi::output_ports_type& ports) {
                 act("multifunction", x);
                 std::get<0>(ports).try_put(x);
                 std::get<1>(ports).try_put(x);
               }),
        async_(g, unlimited,
               [act](int x, async::gateway_type& way) {
                 act("async", x);
                 way.try_put(x);
               }),
        sequencer_(g, [act](int x) { return act("sequencer", x), static_cast<std::size_t>(x); }),
        join_(
            g, [](int x) -> flow::tag_value { return static_cast<flow::tag_value>(x); },
            [act](int x) -> flow::tag_value { return act("key of a join", x), static_cast<flow::tag_value>(x); }),
        light_(g, unlimited, [act](pair const& p) { return act("lightweight", std::get<0>(p)), std::get<0>(p); }),
        sink_(g, serial,
              [this, act](int x) { return act("sink", x), done_[static_cast<std::size_t>(x)] = true, continue_msg(); }),
        continue_(g, [this, act](continue_msg const&) {
          act("continue", continued_++);
          return continue_msg();
        }) {
    make_edge(from_, limiter_);
    make_edge(limiter_, serial_);
    make_edge(serial_, unlimited_);
    make_edge(unlimited_, queue_);
    make_edge(queue_, rejecting_);
    make_edge(rejecting_, multi_);
    make_edge(flow::output_port<0>(multi_), async_);
    if (in_sequence) {
      make_edge(flow::output_port<1>(multi_), sequencer_);
      make_edge(sequencer_, flow::input_port<1>(join_));
    } else {
      make_edge(flow::output_port<1>(multi_), flow::input_port<1>(join_));
    }
    make_edge(async_, flow::input_port<0>(join_));
    make_edge(join_, light_);
    make_edge(light_, sink_);
    make_edge(sink_, continue_);
    make_edge(continue_, decrement_of(limiter_));
  }
  void begin() {
    made_ = 0;
    continued_ = 0;
    done_.assign(messages, false);
    from_.activate();
  }
  // The body has said that there are no more, which only a reset takes back.
  bool ended() const { return made_ > messages; }
  int done() const {
    int n = 0;
    for (bool const one : done_) n += one;
    return n;
  }

 private:
  using multi = flow::multifunction_node<int, std::tuple<int, int>>;
  using async = flow::async_node<int, int>;
  int made_ = 0;
  std::atomic<int> continued_{0};
  std::vector<bool> done_ = std::vector<bool>(messages);
  source<int> from_;
  flow::limiter_node<int> limiter_;
  flow::function_node<int, int> serial_, unlimited_;
  flow::queue_node<int> queue_;
  flow::function_node<int, int, flow::rejecting> rejecting_;
  multi multi_;
  async async_;
  flow::sequencer_node<int> sequencer_;
  flow::join_node<pair, flow::tag_matching> join_;
  flow::function_node<pair, int, flow::lightweight> light_;
  flow::function_node<int> sink_;
  flow::continue_node<continue_msg> continue_;
};

TEST_CASE("the line without a failure") {
  for (int const threads : thread_counts) {
    with_threads(threads, [] {
      graph g;
      line nodes(g, [](char const*, int x) { disturb(static_cast<std::size_t>(x)); });
      for (int round = 0; round < 3; ++round) {
        nodes.begin();
        g.wait_for_all();
        CHECK(nodes.done() == messages);
        CHECK_FALSE((g.is_cancelled() || g.exception_thrown()));
        g.reset(flow::rf_reset_bodies);
      }
    });
  }
}

// After an exception at these places the peers' waits never return.
bool peer_hangs(std::string const& place) {
  return !ours && (place == "sequencer" || place == "key of a join" || (classic && place == "lightweight"));
}

TEST_CASE("an exception at every place comes out of the wait, and a reset graph works") {
  for (int const threads : thread_counts) {
    for (std::string const place : places) {
      for (int const at : {0, 7, messages - 1}) {
        CAPTURE(threads);
        CAPTURE(place);
        CAPTURE(at);
        if (peer_hangs(place)) continue;
        with_threads(threads, [&] {
          std::atomic<bool> armed{true}, waited{false};
          std::atomic<int> late{0};
          graph g;
          line nodes(g, [&](char const* here, int x) {
            late += waited.load();
            if (armed && place == here && x == at) throw failure(place);
          });
          nodes.begin();
          std::string caught;
          try {
            g.wait_for_all();
          } catch (failure const& f) {
            caught = f.what();
          }
          CHECK(caught == place);
          CHECK(g.exception_thrown());
          CHECK(g.is_cancelled());
          waited = true;
          for (int i = 0; i < 50; ++i) std::this_thread::yield();
          CHECK(late == 0);
          waited = false;
          armed = false;
          g.reset();
          CHECK_FALSE(g.exception_thrown());
          nodes.begin();
          g.wait_for_all();
          CHECK(nodes.done() == messages);
          CHECK_FALSE((g.is_cancelled() || g.exception_thrown()));
        });
      }
    }
  }
}

TEST_CASE("cancellation at every place: the wait returns, and a reset graph works") {
  for (int const threads : thread_counts) {
    for (std::string const place : places) {
      CAPTURE(threads);
      CAPTURE(place);
      with_threads(threads, [&] {
        std::atomic<bool> armed{true};
        cancellable_graph g;
        line nodes(*g, [&](char const* here, int x) {
          if (armed && place == here && x == 7) g.cancel();
        });
        nodes.begin();
        g->wait_for_all();
        CHECK(g->is_cancelled());
        CHECK_FALSE(g->exception_thrown());
        armed = false;
        g->reset();
        nodes.begin();
        g->wait_for_all();
        CHECK(nodes.done() == messages);
        CHECK_FALSE(g->is_cancelled());
      });
    }
  }
}

TEST_CASE("cancellation from outside while the graph runs") {
  for (int const threads : thread_counts) {
    with_threads(threads, [&] {
      cancellable_graph g;
      std::atomic<int> runs{0};
      flow::function_node<int, int> loop(*g, unlimited, [&](int x) { return ++runs, x; });
      make_edge(loop, loop);
      loop.try_put(1);
      std::thread other([&] {
        while (runs < 100) std::this_thread::yield();
        g.cancel();
      });
      g->wait_for_all();
      other.join();
      CHECK(g->is_cancelled());
      CHECK(runs >= 100);
    });
  }
}

TEST_CASE("the first of many exceptions comes out, once") {
  for (int const threads : thread_counts) {
    with_threads(threads, [&] {
      graph g;
      flow::function_node<int> node(g, unlimited, [](int x) -> continue_msg { throw failure(std::to_string(x)); });
      for (int i = 0; i < messages; ++i) node.try_put(i);
      CHECK_THROWS_AS(g.wait_for_all(), failure);
      g.reset();
      CHECK_NOTHROW(g.wait_for_all());
      node.try_put(1);
      CHECK_THROWS_AS(g.wait_for_all(), failure);
      g.reset();
    });
  }
}

TEST_CASE("an exception of an inner graph comes out of the outer one's wait, if the body lets it") {
  with_threads(4, [] {
    graph outer;
    flow::function_node<int> node(outer, unlimited, [](int x) {
      graph inner;
      flow::function_node<int> a(inner, serial, [](int y) {
        if (y == 3) throw failure("inner");
        return continue_msg();
      });
      for (int i = 0; i < 5; ++i) a.try_put(x);
      inner.wait_for_all();
      return continue_msg();
    });
    for (int i = 0; i < 3; ++i) node.try_put(i);
    CHECK_NOTHROW(outer.wait_for_all());
    node.try_put(3);
    CHECK_THROWS_AS(outer.wait_for_all(), failure);
  });
}

#ifndef FLOW_PEER
// oneTBB and TBB 2020 accept these messages and lose them.
TEST_CASE("after a failed wait every node works again without a reset") {
  for (int const threads : thread_counts) {
    for (std::string const place : places) {
      CAPTURE(threads);
      CAPTURE(place);
      if (place == "sequencer") continue;
      with_threads(threads, [&] {
        std::atomic<bool> armed{true};
        graph g;
        auto const act = [&](char const* here, int x) {
          if (armed && place == here && x == 7) throw failure(place);
        };
        line nodes(g, act, false);
        nodes.begin();
        CHECK_THROWS_AS(g.wait_for_all(), failure);
        if (nodes.ended()) return;  // message 7 was late
        armed = false;
        nodes.begin();
        g.wait_for_all();
        CHECK(nodes.done() == messages);
      });
    }
  }
}
#endif

}  // namespace
