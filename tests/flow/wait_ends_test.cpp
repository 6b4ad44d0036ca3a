// SPDX-License-Identifier: Apache-2.0
// try_put_and_wait ends when nothing comes of the message any more, although nodes keep it: the graph is cancelled, a
// body has thrown, or the last successor has gone. Ours alone: oneTBB waits on.
#define TBB_PREVIEW_FLOW_GRAPH_TRY_PUT_AND_WAIT 1
#include "support/dialect.h"
#include "support/left_in.h"

#include <doctest/doctest.h>

#include "support/eventually.h"

#include <tbb/task.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <tuple>

namespace {

using namespace test;

constexpr int messages = 60;
using fn = flow::function_node<int, int>;
using sink = flow::function_node<int>;
using pair = std::tuple<int, int>;

std::size_t as_number(int x) { return static_cast<std::size_t>(x); }

// A thread of its own waits for something. A test that has failed can't end it.
class waiter {
 public:
  template <typename F>
  explicit waiter(F f)
      : thread_([this, f] {
          try {
            f();
          } catch (std::runtime_error const&) {
            thrown_ = true;
          }
          over_ = true;
        }) {}
  ~waiter() {
    if (thread_.joinable()) thread_.detach();
  }
  bool over() const { return over_; }
  bool thrown() const { return thrown_; }
  void join() {
    REQUIRE(test::eventually([this] { return over(); }));
    thread_.join();
  }

 private:
  std::atomic<bool> over_{false}, thrown_{false};
  std::thread thread_;
};

enum class ending { cancel, context, exception };

// Make::put puts a message with which nothing goes on, and waits for it.
template <typename Nodes>
void end_while_kept() {
  for (ending const how : {ending::cancel, ending::context, ending::exception}) {
    for (bool const asleep : {false, true}) {
      CAPTURE(static_cast<int>(how));
      CAPTURE(asleep);
      with_threads(4, [&] {
        tbb::task_group_context context;
        graph g(context);
        Nodes nodes(g);
        fn bad(g, unlimited, [](int) -> int { throw std::runtime_error("bad"); });
        std::string const nothing = left_in(g);
        waiter first([&] { nodes.put(); });
        waiter second([&] { nodes.put(); });
        CHECK(test::eventually([&] { return left_in(g) != nothing; }));
        if (asleep) {
          for (int i = 0; i < 20000; ++i) std::this_thread::yield();
        }
        CHECK_FALSE(first.over());
        if (how == ending::cancel) g.cancel();
        if (how == ending::context) context.cancel_group_execution();
        if (how == ending::exception) bad.try_put(1);
        first.join();
        second.join();
        CHECK(first.thrown() == (how == ending::exception));
        int thrown = 0;
        try {
          g.wait_for_all();
        } catch (std::runtime_error const&) {
          ++thrown;
        }
        CHECK(thrown == (how == ending::exception));
        CHECK(g.is_cancelled());
        // It works again.
        arrivals seen(messages);
        sink last(g, serial, [&](int x) { return seen.add(as_number(x)), continue_msg(); });
        for (int i = 0; i < messages; ++i) {
          CHECK(last.try_put_and_wait(i));
          CHECK(seen.of(as_number(i)) == 1);
        }
        g.wait_for_all();
      });
    }
  }
}

struct half_of_a_pair {
  explicit half_of_a_pair(graph& g) : join(g), last(g, serial, [](pair const&) { return continue_msg(); }) {
    make_edge(join, last);
  }
  void put() { flow::input_port<0>(join).try_put_and_wait(1); }
  flow::join_node<pair> join;
  flow::function_node<pair> last;
};
struct half_of_a_reserved_pair {
  explicit half_of_a_reserved_pair(graph& g)
      : queue(g), join(g), last(g, serial, [](pair const&) { return continue_msg(); }) {
    make_edge(queue, flow::input_port<0>(join));
    make_edge(join, last);
  }
  void put() { queue.try_put_and_wait(1); }
  flow::queue_node<int> queue;
  flow::join_node<pair, flow::reserving> join;
  flow::function_node<pair> last;
};
struct part_of_a_round {
  explicit part_of_a_round(graph& g) : node(g, 3, [](continue_msg const&) { return continue_msg(); }) {}
  void put() { node.try_put_and_wait(continue_msg()); }
  flow::continue_node<continue_msg> node;
};
template <typename Buffer>
struct before_a_full_limiter {
  explicit before_a_full_limiter(graph& g)
      : buffer(g), limiter(g, 1), last(g, serial, [](int) { return continue_msg(); }) {
    make_edge(buffer, limiter);
    make_edge(limiter, last);
    limiter.try_put(0);
    g.wait_for_all();
  }
  void put() { buffer.try_put_and_wait(1); }
  Buffer buffer;
  flow::limiter_node<int> limiter;
  sink last;
};
struct after_a_gap {
  explicit after_a_gap(graph& g)
      : sequence(g, [](int x) { return as_number(x); }), last(g, serial, [](int) { return continue_msg(); }) {
    make_edge(sequence, last);
  }
  void put() { sequence.try_put_and_wait(++number); }
  std::atomic<int> number{0};
  flow::sequencer_node<int> sequence;
  sink last;
};

TEST_CASE("a cancellation ends the waits for what nodes keep, and so does an exception") {
  end_while_kept<half_of_a_pair>();
  end_while_kept<half_of_a_reserved_pair>();
  end_while_kept<part_of_a_round>();
  end_while_kept<before_a_full_limiter<flow::queue_node<int>>>();
  end_while_kept<before_a_full_limiter<flow::priority_queue_node<int>>>();
  end_while_kept<after_a_gap>();
}

// The visit of the nodes may meet one that has a message in hand, or is about to keep one.
template <typename Nodes>
void end_beside_puts() {
  for (int round = 0; round < 100; ++round) {
    with_threads(4, [] {
      graph g;
      Nodes nodes(g);
      waiter first([&] { nodes.put(); });
      waiter second([&] { nodes.put(); });
      waiter third([&] { nodes.put(); });
      g.cancel();
      first.join();
      second.join();
      third.join();
      g.wait_for_all();
    });
  }
}

struct part_of_a_longer_round {
  explicit part_of_a_longer_round(graph& g) : node(g, 4, [](continue_msg const&) { return continue_msg(); }) {}
  void put() { node.try_put_and_wait(continue_msg()); }
  flow::continue_node<continue_msg> node;
};

TEST_CASE("a cancellation beside puts ends all waits") {
  end_beside_puts<half_of_a_pair>();
  end_beside_puts<half_of_a_reserved_pair>();
  end_beside_puts<part_of_a_longer_round>();
  end_beside_puts<before_a_full_limiter<flow::queue_node<int>>>();
  end_beside_puts<after_a_gap>();
}

// The message in hand has a body that ends late; what lies behind it is forgotten then.
TEST_CASE("a cancellation while a message is in hand ends the waits behind it") {
  with_threads(4, [] {
    graph g;
    std::atomic<bool> go{false}, stands{false};
    flow::sequencer_node<int> sequence(g, [](int x) { return as_number(x); });
    flow::function_node<int, continue_msg, flow::lightweight> last(g, unlimited, [&](int) noexcept {
      stands = true;
      while (!go) std::this_thread::yield();
    });
    make_edge(sequence, last);
    std::thread putter([&] { sequence.try_put(0); });
    while (!stands) std::this_thread::yield();
    std::string const before = left_in(g);
    waiter one([&] { sequence.try_put_and_wait(2); });
    CHECK(test::eventually([&] { return left_in(g) != before; }));
    g.cancel();
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    go = true;
    putter.join();
    one.join();
    g.wait_for_all();
  });
}

TEST_CASE("an exception of one half ends the wait for the pair") {
  for (int const threads : {1, 2, 8}) {
    with_threads(threads, [] {
      graph g;
      flow::broadcast_node<int> from(g);
      std::atomic<bool> armed{true};
      std::atomic<int> pairs{0};
      fn bad(g, serial, [&](int x) {
        if (armed) throw std::runtime_error("bad");
        return x;
      });
      fn good(g, serial, [](int x) { return x; });
      flow::join_node<pair> join(g);
      flow::function_node<pair> last(g, serial, [&](pair const&) { return ++pairs, continue_msg(); });
      make_edge(from, bad);
      make_edge(from, good);  // the newest job, which goes first
      make_edge(good, flow::input_port<0>(join));
      make_edge(bad, flow::input_port<1>(join));
      make_edge(join, last);
      CHECK_THROWS_AS(from.try_put_and_wait(1), std::runtime_error);
      CHECK_THROWS_AS(g.wait_for_all(), std::runtime_error);
      armed = false;
      CHECK(from.try_put_and_wait(1));
      CHECK(pairs == 1);
      g.wait_for_all();
    });
  }
}

// The wait of the whole graph, too, ends what is kept; it may be the one that gets the exception.
TEST_CASE("waits for messages and for the graph end together") {
  for (int round = 0; round < 50; ++round) {
    with_threads(4, [] {
      graph g;
      flow::queue_node<int> queue(g);
      flow::limiter_node<int> closed(g, 0);
      sink last(g, serial, [](int) { return continue_msg(); });
      make_edge(queue, closed);
      make_edge(closed, last);
      fn bad(g, unlimited, [](int) -> int { throw std::runtime_error("bad"); });
      waiter a([&] { queue.try_put_and_wait(1); });
      waiter b([&] { queue.try_put_and_wait(2); });
      bad.try_put(1);
      int thrown = 0;
      try {
        g.wait_for_all();
      } catch (std::runtime_error const&) {
        ++thrown;
      }
      // A message that came after that is not ended by it.
      g.cancel();
      a.join();
      b.join();
      CHECK(thrown + a.thrown() + b.thrown() >= 1);
      g.wait_for_all();
    });
  }
}

TEST_CASE("a message whose queue loses its last successor is not waited for any more") {
  for (bool const pulls : {false, true}) {
    with_threads(4, [&] {
      graph g;
      flow::queue_node<int> queue(g);
      flow::limiter_node<int> closed(g, 0);
      std::atomic<bool> go{false}, stands{false};
      flow::function_node<int, continue_msg, flow::rejecting> busy(g, serial, [&](int) {
        stands = true;
        while (!go) std::this_thread::yield();
        return continue_msg();
      });
      busy.try_put(0);
      while (!stands) std::this_thread::yield();
      make_edge(queue, closed);
      make_edge(queue, busy);
      if (pulls) queue.try_put(1);
      std::string const before = left_in(g);
      waiter one([&] { queue.try_put_and_wait(2); });
      // Both have refused a message.
      CHECK(test::eventually([&] {
        std::string const now = left_in(g), asks = "asks for a message";
        return now != before && now.find(asks) != now.rfind(asks);
      }));
      flow::remove_edge(queue, closed);
      for (int i = 0; i < 1000; ++i) std::this_thread::yield();
      CHECK_FALSE(one.over());
      flow::remove_edge(queue, busy);
      one.join();
      CHECK(queue.try_put_and_wait(3));  // nobody takes it
      go = true;
      g.wait_for_all();
      int rest = 0, n = 0;
      while (queue.try_get(rest)) ++n;
      CHECK(n == (pulls ? 3 : 2));
    });
  }
}

// The removal comes at any time: before the refusal, while the edge turns, after that.
TEST_CASE("a removal beside a refusal ends the wait for what is kept") {
  with_threads(3, [] {
    graph g;
    flow::queue_node<int> queue(g);
    std::atomic<bool> go{false}, stands{false};
    flow::function_node<int, continue_msg, flow::rejecting> busy(g, serial, [&](int) {
      stands = true;
      while (!go) std::this_thread::yield();
      return continue_msg();
    });
    busy.try_put(0);
    while (!stands) std::this_thread::yield();
    constexpr int rounds = 3000;
    std::atomic<int> begun{0}, ended{0};
    waiter one([&] {
      for (int round = 1; round <= rounds; ++round) {
        while (begun < round) std::this_thread::yield();
        queue.try_put_and_wait(round);
        ended = round;
      }
    });
    for (int round = 1; round <= rounds; ++round) {
      make_edge(queue, busy);
      begun = round;
      for (int i = round % 64; i != 0; --i) disturb(as_number(round * 64 + i));
      flow::remove_edge(queue, busy);
      if (!test::eventually([&] { return ended == round; })) {
        FAIL_CHECK("in round " << round);
        g.cancel();
        begun = rounds;
        break;
      }
      int v = 0;
      while (queue.try_get(v)) {
      }
    }
    one.join();
    go = true;
    g.wait_for_all();
  });
}

// All places of its arena are taken by bodies that go on.
TEST_CASE("a cancellation ends the wait of a thread for which the arena has no place") {
  for (bool const asleep : {false, true}) {
    for (bool const as_job : {false, true}) {
      CAPTURE(asleep);
      CAPTURE(as_job);
      with_threads(2, [&] {
        graph g;
        std::atomic<bool> go{false};
        std::atomic<int> stand{0};
        before_a_full_limiter<flow::queue_node<int>> nodes(g);
        sink body(g, unlimited, [&](int) {
          ++stand;
          while (!go) std::this_thread::yield();
          return continue_msg();
        });
        sink queued(g, serial, [&](int) { return ++stand, continue_msg(); });
        body.try_put(0);
        while (stand != 1) std::this_thread::yield();  // the other place is this thread's
        std::string before = left_in(g);
        waiter one([&] { nodes.put(); });
        CHECK(test::eventually([&] { return left_in(g) != before; }));
        before = left_in(g);
        waiter two([&] {
          if (as_job) queued.try_put_and_wait(1);
        });
        CHECK((!as_job || test::eventually([&] { return left_in(g) != before; })));
        if (asleep) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        CHECK_FALSE(one.over());
        g.cancel();
        bool const ends = test::eventually([&] { return one.over(); });
        CHECK(ends);
        CHECK(stand == 1);
        if (as_job) CHECK_FALSE(two.over());
        go = true;  // the job that two waits for is dropped by whoever gets to it
        one.join();
        two.join();
        g.wait_for_all();
        CHECK(nodes.limiter.try_put(1));
      });
    }
  }
}

TEST_CASE("a queue that is pushed to again waits as before") {
  with_threads(2, [] {
    graph g;
    std::atomic<int> n{0};
    flow::queue_node<int> queue(g);
    flow::function_node<int, continue_msg, flow::rejecting> node(g, serial, [&](int) { return ++n, continue_msg(); });
    make_edge(queue, node);
    for (int i = 0; i < 100; ++i) {
      for (int j = 0; j < i % 4; ++j) queue.try_put(j);
      queue.try_put_and_wait(i);  // the edge turns, and turns back
      g.wait_for_all();
    }
    flow::remove_edge(queue, node);
    CHECK(queue.try_put_and_wait(1));
    CHECK(n == 100 + 25 * (1 + 2 + 3));
  });
}

// What a body puts is not part of its message; a decrement lets it through a limiter.
TEST_CASE("a wait for one message ends before what a continue_node's decrement of a limiter lets through") {
  with_threads(1, [] {
    constexpr int all = 1000;
    graph g;
    flow::queue_node<int> queue(g);
    flow::limiter_node<int> limiter(g, 1);
    int runs = 0;
    sink body(g, serial, [&](int) {
      if (++runs < all) queue.try_put(runs);
      return continue_msg();
    });
    flow::continue_node<continue_msg> over(g, [](continue_msg) {});
    make_edge(queue, limiter);
    make_edge(limiter, body);
    make_edge(body, over);
    make_edge(over, limiter.decrementer());
    CHECK(queue.try_put_and_wait(1));
    CHECK(runs == 1);
    g.wait_for_all();
    CHECK(runs == all);
  });
}

// While a body is suspended its thread does other things, which are not the message's: half of a pair would be waited
// for.
TEST_CASE("what a thread puts while a body is suspended is not that body's") {
  with_threads(2, [] {
    graph g;
    using many = flow::multifunction_node<int, std::tuple<int>>;
    flow::async_node<int, int> other(g, serial, [](int, flow::async_node<int, int>::gateway_type&) {});
    many node(g, serial, [&](int, many::output_ports_type&) {
      tbb::task::suspend([&](tbb::task::suspend_point here) {
        other.gateway().try_put(1);
        tbb::task::resume(here);
      });
    });
    flow::join_node<pair> join(g);
    flow::function_node<pair> last(g, serial, [](pair const&) { return continue_msg(); });
    make_edge(other, flow::input_port<0>(join));
    make_edge(join, last);
    waiter one([&] { node.try_put_and_wait(1); });
    one.join();
    flow::input_port<1>(join).try_put(2);
    g.wait_for_all();
  });
}

}  // namespace
