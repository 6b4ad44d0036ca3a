// SPDX-License-Identifier: Apache-2.0
// A serial node whose body puts messages into the node itself: whoever puts, what was put before another message comes
// before it.
#ifndef TBB_PREVIEW_FLOW_GRAPH_TRY_PUT_AND_WAIT
#define TBB_PREVIEW_FLOW_GRAPH_TRY_PUT_AND_WAIT 1
#endif
#include "support/dialect.h"

#include <doctest/doctest.h>

#include <tbb/parallel_for.h>
#ifndef FLOW_PEER
#include <tbb/task.h>
#endif

#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace test;

constexpr int thread_counts[] = {2, 8, 32};

// When each message was put, between two ticks of one clock, and in which order they were handled.
class history {
 public:
  explicit history(int most) : begins_(as_size(most)), ends_(as_size(most)), most_(most) {}
  // -1: as many as there may be are there.
  int make() {
    int const number = made_++;
    return number < most_ ? number : -1;
  }
  template <typename Put>
  void put(int number, Put const& put) {
    begins_[as_size(number)] = clock_++;
    bool const taken = put(number);
    ends_[as_size(number)] = clock_++;
    refused_ += taken ? 0 : 1;
  }
  void handle(int number) { handled_.push_back(number); }

  int made() const { return made_ < most_ ? made_.load() : most_; }
  // Each was handled once, and none after one that was put later.
  bool is_right() const {
    std::vector<int> times(as_size(most_));
    long latest = -1;
    for (int const number : handled_) {
      if (++times[as_size(number)] != 1 || ends_[as_size(number)] < latest) return false;
      latest = begins_[as_size(number)] > latest ? begins_[as_size(number)].load() : latest;
    }
    return refused_ == 0 && handled_.size() == as_size(made());
  }

 private:
  static std::size_t as_size(int n) { return static_cast<std::size_t>(n); }
  std::vector<std::atomic<long>> begins_, ends_;
  std::vector<int> handled_;
  int const most_;
  std::atomic<long> clock_{0};
  std::atomic<int> made_{0}, refused_{0};
};

template <typename Message>
int number_of(Message const& m) {
  if constexpr (std::is_same_v<Message, std::string>) {
    return std::stoi(m);
  } else {
    return static_cast<int>(m);
  }
}
template <typename Message>
Message message_of(int number) {
  if constexpr (std::is_same_v<Message, std::string>) {
    return std::to_string(number);
  } else {
    return static_cast<Message>(number);
  }
}

// Between(number, put, helper) is what a body does between the messages that it puts into its own node: put() puts one
// more, and helper.try_put(n) starts a task that puts n.
template <typename Message, typename Policy, typename Between>
void feed(int threads, int most, Between const& between) {
  CAPTURE(threads);
  with_threads(threads, [&] {
    using node_type = flow::multifunction_node<Message, std::tuple<Message>, Policy>;
    graph g;
    history seen(most);
    node_type* self = nullptr;
    auto const put_one = [&] {
      int const number = seen.make();
      if (number >= 0) seen.put(number, [&](int n) { return self->try_put(message_of<Message>(n)); });
      return number >= 0;
    };
    flow::function_node<int> helping(g, unlimited, [&](int n) {
      for (int i = 0; i < n; ++i) put_one();
      return continue_msg();
    });
    node_type node(g, serial, [&](Message const& m, typename node_type::output_ports_type& ports) noexcept {
      int const number = number_of(m);
      seen.handle(number);
      for (int i = 0; i < (number + 1) % 3; ++i) {
        int const own = seen.make();
        if (own >= 0) seen.put(own, [&](int n) { return std::get<0>(ports).try_put(message_of<Message>(n)); });
        if (i == 0) between(number, put_one, helping);
      }
    });
    self = &node;
    make_edge(flow::output_port<0>(node), node);
    std::vector<std::thread> others;
    for (int i = 0; i < 2; ++i) {
      others.emplace_back([&] {
        while (put_one()) std::this_thread::yield();
      });
    }
    g.wait_for_all();
    for (auto& t : others) t.join();
    g.wait_for_all();
    CHECK(seen.is_right());
    CHECK(seen.made() == most);
  });
}

TEST_CASE("what is put before comes before, by the body and by others") {
  auto const nothing = [](int, auto const&, auto&) {};
  for (int const threads : thread_counts) {
    feed<int, flow::queueing>(threads, 20000, nothing);
    feed<std::string, flow::queueing>(threads, 5000, nothing);
    feed<int, flow::queueing_lightweight>(threads, 5000, nothing);
  }
}

TEST_CASE("the same if the body waits for tasks that put as well") {
  for (int const threads : thread_counts) {
    feed<int, flow::queueing>(threads, 5000, [](int number, auto const& put, auto&) {
      if (number % 4 == 0) tbb::parallel_for(0, 4, [&](int) { put(); });
    });
  }
}

TEST_CASE("the same if the body waits for a graph of its own, which puts as well") {
  for (int const threads : thread_counts) {
    feed<int, flow::queueing>(threads, 3000, [](int number, auto const& put, auto&) {
      if (number % 8 != 0) return;
      graph inner;
      using many = flow::multifunction_node<int, std::tuple<int>>;
      many node(inner, serial, [&](int left, many::output_ports_type& ports) {
        put();
        if (left > 0) std::get<0>(ports).try_put(left - 1);
      });
      make_edge(flow::output_port<0>(node), node);
      node.try_put(3);
      inner.wait_for_all();
    });
  }
}

#ifndef FLOW_PEER
TEST_CASE("the same if the body is suspended, and another thread resumes it") {
  for (int const threads : thread_counts) {
    std::vector<std::thread> resuming;
    feed<int, flow::queueing>(threads, 3000, [&](int number, auto const& put, auto& helper) {
      if (number % 16 != 0) return;
      tbb::task::suspend([&](tbb::task::suspend_point here) {
        put();               // on another stack
        helper.try_put(20);  // in what this thread does next
        resuming.emplace_back([here, &put] {
          put();
          tbb::task::resume(here);
        });
      });
      for (int i = 0; i < 10; ++i) put();
    });
    for (auto& t : resuming) t.join();
  }
}

TEST_CASE("a node that refuses what it has no place for refuses its own messages as well") {
  with_threads(2, [] {
    graph g;
    int runs = 0, taken = 0;
    using node_type = flow::multifunction_node<int, std::tuple<int>, flow::rejecting>;
    node_type* self = nullptr;
    node_type node(g, serial, [&](int x, node_type::output_ports_type&) { ++runs, taken += self->try_put(x + 1); });
    self = &node;
    for (int i = 1; i <= 10; ++i) {
      CHECK(node.try_put(i));
      g.wait_for_all();
      CHECK(runs == i);
    }
    CHECK(taken == 0);
  });
}
TEST_CASE("a node with a bound takes as many of its own messages as wait") {
  with_threads(2, [] {
    graph g;
    int taken = 0;
    using node_type = flow::multifunction_node<int, std::tuple<int>, flow::queueing_bounded>;
    node_type* self = nullptr;
    node_type node(
        g, serial,
        [&](int x, node_type::output_ports_type&) {
          for (int i = 0; i < 5 && x == 0; ++i) taken += self->try_put(1);
        },
        flow::queueing_bounded(3));
    self = &node;
    node.try_put(0);
    g.wait_for_all();
    CHECK(taken == 3);
  });
}
#endif

#if !FLOW_CLASSIC && !defined FLOW_PEER
TEST_CASE("a wait for one message includes what its body puts into the node, and no other messages") {
  for (int const threads : {1, 2, 8, 32}) {
    with_threads(threads, [] {
      graph g;
      std::vector<std::atomic<int>> left(100);
      using node_type = flow::multifunction_node<int, std::tuple<int>>;
      node_type node(g, serial, [&](int x, node_type::output_ports_type& ports) {
        if (--left[static_cast<std::size_t>(x)] > 0) std::get<0>(ports).try_put(x);
      });
      make_edge(flow::output_port<0>(node), node);
      for (int i = 0; i < 100; i += 2) {
        left[static_cast<std::size_t>(i)] = left[static_cast<std::size_t>(i + 1)] = 20;
        node.try_put(i);
        node.try_put_and_wait(i + 1);
        CHECK(left[static_cast<std::size_t>(i + 1)] == 0);
      }
      g.wait_for_all();
      for (auto const& n : left) CHECK(n == 0);
    });
  }
}
#endif

TEST_CASE("what a body has put into its node before it throws or is cancelled is dropped, and the node goes on") {
  for (int const threads : {1, 2, 8, 32}) {
    CAPTURE(threads);
    with_threads(threads, [] {
      cancellable_graph g;
      bool cancels = false;
      int late = 0, runs = 0;
      using node_type = flow::multifunction_node<int, std::tuple<int>>;
      node_type node(*g, serial, [&](int x, node_type::output_ports_type& ports) {
        if (x < 0) {
          ++late;
        } else if (x == 0) {
          for (int i = 1; i < 4; ++i) std::get<0>(ports).try_put(-i);
          if (!cancels) throw std::runtime_error("body");
          g.cancel();
        } else {
          ++runs;
          if (x > 1) std::get<0>(ports).try_put(x - 1);
        }
      });
      make_edge(flow::output_port<0>(node), node);
      for (int round = 1; round <= 50; ++round) {
        cancels = round % 2 == 0;
        node.try_put(0);
        if (cancels) {
          g->wait_for_all();
        } else {
          CHECK_THROWS_AS(g->wait_for_all(), std::runtime_error);
        }
        g->reset();
        node.try_put(10);
        g->wait_for_all();
        CHECK(runs == 10 * round);
        CHECK(late == 0);
      }
    });
  }
}

}  // namespace
