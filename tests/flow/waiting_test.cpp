// SPDX-License-Identifier: Apache-2.0
// try_put_and_wait: returns when all that the message has caused is over, and does not wait for other messages.
// oneTBB has it as a preview, TBB 2020 not at all.
#define TBB_PREVIEW_FLOW_GRAPH_TRY_PUT_AND_WAIT 1
#include "support/dialect.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <tuple>
#include <vector>

namespace {

using namespace test;

constexpr int threads_at_once[] = {1, 2, 8, 32, 64};
constexpr int messages = 60;
using fn = flow::function_node<int, int>;
using sink = flow::function_node<int>;
using pair = std::tuple<int, int>;

std::size_t as_number(int x) { return static_cast<std::size_t>(x); }

// Puts each message and waits: what came of it has to be there, `each` times, though others are on their way.
template <typename In>
void check_each(In& in, arrivals const& seen, int each = 1) {
  for (int i = 0; i < messages; ++i) {
    CHECK(seen.of(as_number(i)) == 0);
    REQUIRE(in.try_put_and_wait(i));
    REQUIRE(seen.of(as_number(i)) == each);
  }
}

TEST_CASE("through a chain of nodes with any policy") {
  for (int const threads : threads_at_once) {
    with_threads(threads, [] {
      graph g;
      arrivals seen(messages);
      fn a(g, serial, [](int x) { return disturb(as_number(x)), x; });
      fn b(g, unlimited, [](int x) { return disturb(as_number(x)), x; });
      flow::function_node<int, int, flow::lightweight> c(g, unlimited, [](int x) noexcept { return x; });
      flow::broadcast_node<int> d(g);
      sink e(g, serial, [&](int x) { return disturb(as_number(x)), seen.add(as_number(x)), continue_msg(); });
      make_edge(a, b);
      make_edge(b, c);
      make_edge(c, d);
      make_edge(d, e);
      check_each(a, seen);
      g.wait_for_all();
      CHECK(seen.each_once());
    });
  }
}

#ifndef FLOW_PEER
// oneTBB does not wait for what the body of a multifunction_node puts.
TEST_CASE("all that a body puts is waited for, and what comes of that") {
  for (int const threads : threads_at_once) {
    with_threads(threads, [] {
      graph g;
      arrivals seen(messages);
      using many = flow::multifunction_node<int, std::tuple<int, int>>;
      many a(g, unlimited, [](int x, many::output_ports_type& ports) {
        for (int i = 0; i < 5; ++i) std::get<0>(ports).try_put(x);
        std::get<1>(ports).try_put(x);
      });
      fn b(g, 2, [](int x) { return disturb(as_number(x)), x; });
      sink c(g, serial, [&](int x) { return seen.add(as_number(x)), continue_msg(); });
      make_edge(flow::output_port<0>(a), b);
      make_edge(flow::output_port<1>(a), c);
      make_edge(b, c);
      check_each(a, seen, 6);
      g.wait_for_all();
      CHECK(seen.total() == 6 * messages);
    });
  }
}
#endif

TEST_CASE("through nodes that keep messages for a while") {
  for (int const threads : threads_at_once) {
    with_threads(threads, [] {
      graph g;
      arrivals seen(messages);
      flow::queue_node<int> queue(g);
      flow::function_node<int, int, flow::rejecting> a(g, serial, [](int x) { return disturb(as_number(x)), x; });
      flow::sequencer_node<int> sequence(g, [](int x) { return as_number(x); });
      flow::limiter_node<int> limiter(g, 2);
      flow::priority_queue_node<int> largest(g);
      flow::function_node<int, int, flow::rejecting> b(g, serial, [](int x) { return x; });
      fn c(g, unlimited, [&](int x) { return disturb(as_number(x)), seen.add(as_number(x)), x; });
      sink done(g, serial, [](int) { return continue_msg(); });
      make_edge(queue, a);
      make_edge(a, sequence);
      make_edge(sequence, limiter);
      make_edge(limiter, largest);
      make_edge(largest, b);
      make_edge(b, c);
      make_edge(c, done);
      make_edge(done, limiter.decrementer());
      check_each(queue, seen);
      g.wait_for_all();
      CHECK(seen.each_once());
    });
  }
}

// Whatever the edge does at the moment: the first message turns it to pulling, if the node is still busy.
TEST_CASE("a message is waited for that a busy node takes from a queue later") {
  for (int const threads : threads_at_once) {
    with_threads(threads, [] {
      graph g;
      arrivals seen(messages);
      flow::queue_node<int> queue(g);
      flow::function_node<int, continue_msg, flow::rejecting> node(
          g, serial, [&](int x) { return disturb(as_number(x)), seen.add(as_number(x)), continue_msg(); });
      make_edge(queue, node);
      for (int i = 0; i + 3 < messages; i += 3) {
        node.try_put(i);
        queue.try_put(i + 1);
        CHECK(queue.try_put_and_wait(i + 2));
        CHECK(seen.of(as_number(i + 2)) == 1);
      }
      g.wait_for_all();
    });
  }
}

template <typename Join, typename... Keys>
void check_join(Keys... keys) {
  for (int const threads : threads_at_once) {
    with_threads(threads, [&] {
      graph g;
      arrivals seen(messages);
      flow::broadcast_node<int> from(g);
      flow::queue_node<int> a(g), b(g);
      Join join(g, keys...);
      flow::function_node<pair> c(g, serial, [&](pair const& p) {
        return disturb(as_number(std::get<0>(p))), seen.add(as_number(std::get<1>(p))), continue_msg();
      });
      make_edge(from, a);
      make_edge(from, b);
      make_edge(a, flow::input_port<0>(join));
      make_edge(b, flow::input_port<1>(join));
      make_edge(join, c);
      check_each(from, seen);
      g.wait_for_all();
      CHECK(seen.each_once());
    });
  }
}

TEST_CASE("through joins, with both halves of the pair") {
  check_join<flow::join_node<pair>>();
  check_join<flow::join_node<pair, flow::reserving>>();
  auto const key = [](int x) { return static_cast<flow::tag_value>(x); };
  check_join<flow::join_node<pair, flow::tag_matching>>(key, key);
}

// The half that waits for its partner is waited for as well.
TEST_CASE("a half of a pair waits for the other half") {
  with_threads(4, [] {
    graph g;
    std::atomic<int> pairs{0};
    flow::join_node<pair> join(g);
    flow::function_node<pair> c(g, serial, [&](pair const&) { return ++pairs, continue_msg(); });
    make_edge(join, c);
    std::atomic<bool> returned{false};
    std::thread first([&] {
      CHECK(flow::input_port<0>(join).try_put_and_wait(1));
      CHECK(pairs == 1);
      returned = true;
    });
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    CHECK_FALSE(returned);
    CHECK(flow::input_port<1>(join).try_put_and_wait(2));
    CHECK(pairs == 1);
    first.join();
    g.wait_for_all();
  });
}

TEST_CASE("through split, indexer and continue nodes") {
  for (int const threads : threads_at_once) {
    with_threads(threads, [] {
      graph g;
      arrivals seen(messages);
      flow::function_node<int, pair> both(g, serial, [](int x) { return pair(x, x); });
      flow::split_node<pair> split(g);
      flow::indexer_node<int, int> index(g);
      using message = flow::indexer_node<int, int>::output_type;
      flow::function_node<message> count(
          g, unlimited, [&](message const& m) { return seen.add(as_number(flow::cast_to<int>(m))), continue_msg(); });
      std::atomic<int> rounds{0};
      flow::continue_node<continue_msg> round(g, 2, [&](continue_msg const&) { return ++rounds, continue_msg(); });
      make_edge(both, split);
      make_edge(flow::output_port<0>(split), flow::input_port<0>(index));
      make_edge(flow::output_port<1>(split), flow::input_port<1>(index));
      make_edge(index, count);
      flow::remove_edge(count, round);
      check_each(both, seen, 2);
      CHECK(round.try_put(continue_msg()));
      CHECK(round.try_put_and_wait(continue_msg()));
      CHECK(rounds == 1);
      g.wait_for_all();
    });
  }
}

// Rounds of other messages come and go around the one that is waited for.
TEST_CASE("a message of a round beside plain ones") {
  for (int const threads : {2, 8}) {
    with_threads(threads, [] {
      graph g;
      std::atomic<int> rounds{0};
      flow::continue_node<continue_msg> node(g, 2, [&](continue_msg const&) { return ++rounds, continue_msg(); });
      std::atomic<int> puts{0};
      std::atomic<bool> stop{false};
      std::vector<std::thread> others;
      for (int t = 0; t < 3; ++t) {
        others.emplace_back([&] {
          for (; !stop; std::this_thread::yield()) {
            if (puts - 2 * rounds < 20) ++puts, node.try_put(continue_msg());
          }
        });
      }
      for (int i = 0; i < 10 * messages; ++i) {
        ++puts;
        CHECK(node.try_put_and_wait(continue_msg()));
      }
      stop = true;
      for (auto& other : others) other.join();
      g.wait_for_all();
      CHECK(rounds == puts / 2);
    });
  }
}

TEST_CASE("other messages are not waited for") {
  with_threads(4, [] {
    graph g;
    std::atomic<bool> go{false}, stands{false};
    std::atomic<int> n{0};
    fn a(g, unlimited, [&](int x) {
      if (x < 0) {
        stands = true;
        while (!go) std::this_thread::yield();
      }
      return ++n, x;
    });
    sink b(g, serial, [](int) { return continue_msg(); });
    make_edge(a, b);
    a.try_put(-1);
    while (!stands) std::this_thread::yield();  // a worker stands in its body
    for (int i = 0; i < messages; ++i) CHECK(a.try_put_and_wait(i));
    CHECK(n == messages);
    go = true;
    g.wait_for_all();
    CHECK(n == messages + 1);
  });
}

TEST_CASE("a wait ends before messages that have come after its own, as many as there may be") {
  with_threads(1, [] {
    constexpr int all = 1000;
    graph g;
    fn* self = nullptr;
    int runs = 0;
    fn a(g, serial, [&](int x) {
      if (++runs < all) self->try_put(x);
      return x;
    });
    self = &a;
    CHECK(a.try_put_and_wait(1));
    CHECK(runs == 1);
    g.wait_for_all();
    CHECK(runs == all);

    flow::queue_node<int> queue(g);
    flow::limiter_node<int> limiter(g, 1);
    int taken = 0;
    sink b(g, serial, [&](int) {
      if (++taken < all) queue.try_put(taken);
      return continue_msg();
    });
    make_edge(queue, limiter);
    make_edge(limiter, b);
    make_edge(b, limiter.decrementer());
    CHECK(queue.try_put_and_wait(1));
    CHECK(taken == 1);
    g.wait_for_all();
    CHECK(taken == all);
  });
}

TEST_CASE("waits of many threads at once, each for its own message") {
  for (int const threads : {2, 8, 32, 64}) {
    with_threads(threads, [] {
      graph g;
      constexpr int each = 50, putters = 6;
      arrivals seen(each * putters);
      fn a(g, serial, [](int x) { return disturb(as_number(x)), x; });
      fn b(g, unlimited, [](int x) { return disturb(as_number(x) + 1), x; });
      sink c(g, 3, [&](int x) { return seen.add(as_number(x)), continue_msg(); });
      make_edge(a, b);
      make_edge(b, c);
      std::atomic<int> wrong{0};
      std::vector<std::thread> others;
      for (int t = 0; t < putters; ++t) {
        others.emplace_back([&, t] {
          for (int i = t * each; i < (t + 1) * each; ++i) {
            if (!a.try_put_and_wait(i) || seen.of(as_number(i)) != 1) ++wrong;
          }
        });
      }
      for (auto& other : others) other.join();
      CHECK(wrong == 0);
      g.wait_for_all();
      CHECK(seen.each_once());
    });
  }
}

// What does not go on is waited for as long as it may: here until there is room.
TEST_CASE("a message before a full limiter is waited for, be the edge pushing or pulling") {
  for (bool const pulls : {false, true}) {
    with_threads(4, [&] {
      graph g;
      arrivals seen(3);
      flow::queue_node<int> queue(g);
      flow::limiter_node<int> limiter(g, 1);
      sink last(g, serial, [&](int x) { return seen.add(as_number(x)), continue_msg(); });
      make_edge(queue, limiter);
      make_edge(limiter, last);
      CHECK(limiter.try_put(0));
      g.wait_for_all();
      if (pulls) queue.try_put(1);
      std::atomic<bool> returned{false};
      std::thread waiter([&] {
        CHECK(queue.try_put_and_wait(2));
        CHECK(seen.of(2) == 1);
        returned = true;
      });
      for (int i = 0; i < 1000; ++i) std::this_thread::yield();
      CHECK_FALSE(returned);
      for (int i = pulls ? 2 : 1; i != 0; --i) {
        limiter.decrementer().try_put(continue_msg());
        g.wait_for_all();  // a peer may drop a decrement that arrives before the message that the one before lets
                           // through
      }
      waiter.join();
      g.wait_for_all();
    });
  }
}

// The join's tuple is refused, and pulled when the node is idle.
TEST_CASE("a message is waited for that a busy node takes from a reserving join later") {
  with_threads(4, [] {
    graph g;
    std::atomic<bool> go{false}, stands{false}, done{false};
    flow::queue_node<int> a(g), b(g);
    flow::join_node<pair, flow::reserving> join(g);
    flow::function_node<pair, continue_msg, flow::rejecting> node(g, serial, [&](pair const& p) {
      if (std::get<0>(p) == 0) {
        stands = true;
        while (!go) std::this_thread::yield();
      } else {
        for (int i = 0; i < 1000; ++i) std::this_thread::yield();
        done = true;
      }
      return continue_msg();
    });
    make_edge(a, flow::input_port<0>(join));
    make_edge(b, flow::input_port<1>(join));
    make_edge(join, node);
    CHECK(node.try_put(pair(0, 0)));
    while (!stands) std::this_thread::yield();
    b.try_put(2);
    std::atomic<bool> returned{false};
    std::thread waiter([&] {
      CHECK(a.try_put_and_wait(1));
      CHECK(done);
      returned = true;
    });
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    CHECK_FALSE(returned);
    go = true;
    waiter.join();
    g.wait_for_all();
  });
}

// Each pair is completed by a thread that waits for nothing: that thread takes and gives back uses of the token, while
// the waiting thread sleeps or runs bodies itself.
TEST_CASE("a thread of the program completes the pair that is waited for") {
  for (int const threads : {1, 2, 8}) {
    with_threads(threads, [] {
      graph g;
      arrivals seen(messages);
      flow::join_node<pair> join(g);
      flow::function_node<pair, int> a(g, serial, [](pair const& p) {
        disturb(as_number(std::get<1>(p)));
        return std::get<0>(p);
      });
      sink b(g, unlimited, [&](int x) { return seen.add(as_number(x)), continue_msg(); });
      make_edge(join, a);
      make_edge(a, b);
      std::atomic<int> put{0};
      std::thread other([&] {
        for (int i = 0; i < messages; ++i) {
          while (put <= i) std::this_thread::yield();
          disturb(as_number(i));
          flow::input_port<1>(join).try_put(i);
        }
      });
      for (int i = 0; i < messages; ++i) {
        put = i + 1;
        CHECK(flow::input_port<0>(join).try_put_and_wait(i));
        CHECK(seen.of(as_number(i)) == 1);
      }
      other.join();
      g.wait_for_all();
      CHECK(seen.each_once());
    });
  }
}

TEST_CASE("a refused message is not waited for") {
  with_threads(2, [] {
    graph g;
    std::atomic<bool> go{false}, stands{false};
    flow::function_node<int, int, flow::rejecting> a(g, serial, [&](int x) {
      stands = true;
      while (!go) std::this_thread::yield();
      return x;
    });
    std::thread other([&] { CHECK(a.try_put_and_wait(1)); });
    while (!stands) std::this_thread::yield();
    CHECK_FALSE(a.try_put_and_wait(2));
    flow::limiter_node<int> closed(g, 0);
    CHECK_FALSE(closed.try_put_and_wait(1));
    go = true;
    other.join();
    g.wait_for_all();
  });
}

TEST_CASE("a wait in a body of another graph") {
  for (int const threads : {1, 4}) {
    with_threads(threads, [] {
      graph outer, inner;
      arrivals seen(messages);
      fn a(inner, serial, [&](int x) { return seen.add(as_number(x)), x; });
      std::atomic<int> wrong{0};
      sink node(outer, unlimited, [&](int x) {
        if (!a.try_put_and_wait(x) || seen.of(as_number(x)) != 1) ++wrong;
        return continue_msg();
      });
      for (int i = 0; i < messages; ++i) node.try_put(i);
      outer.wait_for_all();
      CHECK(wrong == 0);
      CHECK(seen.each_once());
    });
  }
}

TEST_CASE("an exception comes out of the wait for the message, or of the next wait_for_all") {
  for (int const threads : threads_at_once) {
    with_threads(threads, [] {
      graph g;
      fn a(g, serial, [](int x) -> int {
        if (x == 3) throw std::runtime_error("three");
        return x;
      });
      sink b(g, serial, [](int) { return continue_msg(); });
      make_edge(a, b);
      CHECK(a.try_put_and_wait(1));
      int thrown = 0;
      try {
        a.try_put_and_wait(3);
      } catch (std::runtime_error const&) {
        ++thrown;
      }
      try {
        g.wait_for_all();
      } catch (std::runtime_error const&) {
        ++thrown;
      }
      CHECK(thrown >= 1);
      g.reset();
      CHECK(a.try_put_and_wait(1));
      g.wait_for_all();
    });
  }
}

}  // namespace
