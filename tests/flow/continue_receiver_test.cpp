// SPDX-License-Identifier: Apache-2.0
// Classic TBB's continue_receiver, from which programs derive receivers that wait for a number of messages.
#include "support/dialect.h"

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using namespace test;

class counter : public flow::continue_receiver {
 public:
  explicit counter(graph& g, int predecessors = 0)
      : flow::continue_receiver(predecessors, flow::no_priority), its_(&g) {}
  counter(counter const& other) : flow::continue_receiver(other), its_(other.its_) {}
  graph& graph_reference() const override { return *its_; }
  void forget(flow::reset_flags f) { reset_receiver(f); }
  bool put() { return try_put(continue_msg()); }
  int runs() const { return runs_; }
  // How many puts it takes to the next call of execute().
  int puts_needed() {
    int const before = runs_;
    int puts = 0;
    while (runs_ == before) {
      CHECK(put());
      ++puts;
    }
    return puts;
  }

 protected:
  tbb::task* execute() override {
    ++runs_;
    return nullptr;
  }

 private:
  graph* its_;
  std::atomic<int> runs_{0};
};

TEST_CASE("without predecessors each message is a round") {
  graph g;
  counter c(g);
  for (int i = 1; i <= 3; ++i) {
    CHECK(c.put());
    CHECK(c.runs() == i);
  }
}

TEST_CASE("the number is that of the constructor and of the edges together") {
  with_threads(2, [] {
    graph g;
    counter c(g, 2);
    CHECK(c.puts_needed() == 2);
    CHECK(c.puts_needed() == 2);
    flow::broadcast_node<continue_msg> a(g), b(g);
    make_edge(a, c);
    make_edge(b, c);
    CHECK(c.puts_needed() == 4);
    a.try_put(continue_msg());
    b.try_put(continue_msg());
    g.wait_for_all();
    CHECK(c.puts_needed() == 2);
    flow::remove_edge(a, c);
    CHECK(c.puts_needed() == 3);
    flow::remove_edge(a, c);  // is not there any more
    CHECK(c.puts_needed() == 3);
    flow::remove_edge(b, c);
    CHECK(c.puts_needed() == 2);
  });
}

TEST_CASE("a copy has the constructor's number") {
  graph g;
  counter c(g, 3);
  flow::broadcast_node<continue_msg> a(g);
  make_edge(a, c);
  CHECK(c.put());
  counter copy(c);
  CHECK(copy.puts_needed() == 3);
  CHECK(c.puts_needed() == 3);  // one of four had come
}

TEST_CASE("a reset forgets messages, and edges if that is asked for") {
  graph g;
  counter c(g, 2);
  flow::broadcast_node<continue_msg> a(g);
  make_edge(a, c);
  CHECK(c.put());
  CHECK(c.put());
  c.forget(flow::rf_reset_protocol);
  CHECK(c.puts_needed() == 3);
  CHECK(c.put());
  c.forget(flow::rf_clear_edges);
  CHECK(c.puts_needed() == 2);
}

TEST_CASE("a continue_node and a decrement port are such receivers") {
  with_threads(2, [] {
    graph g;
    std::atomic<int> runs{0};
    flow::continue_node<continue_msg> node(g, 1, [&](continue_msg) { ++runs; });
    flow::continue_receiver& input = node;
    flow::broadcast_node<continue_msg> a(g);
    make_edge(a, input);
    CHECK(input.try_put(continue_msg()));
    g.wait_for_all();
    CHECK(runs == 0);
    a.try_put(continue_msg());
    g.wait_for_all();
    CHECK(runs == 1);
    flow::remove_edge(a, input);
    CHECK(input.try_put(continue_msg()));
    g.wait_for_all();
    CHECK(runs == 2);
    input.register_predecessor(a);
    CHECK(node.try_put(continue_msg()));
    g.wait_for_all();
    CHECK(runs == 2);
    CHECK(input.try_put(continue_msg()));
    g.wait_for_all();
    CHECK(runs == 3);

    flow::limiter_node<int> limit(g, 1);
    flow::queue_node<int> taken(g);
    make_edge(limit, taken);
    CHECK(limit.try_put(1));
    CHECK(!limit.try_put(2));
    flow::continue_receiver& decrement = limit.decrement;
    CHECK(decrement.try_put(continue_msg()));
    CHECK(limit.try_put(3));
    g.wait_for_all();
  });
}

// A node, and a receiver of the program's own that passes on what the node's try_put_task() returns.
struct open_node : flow::continue_node<continue_msg> {
  using flow::continue_node<continue_msg>::continue_node;
  tbb::task* put_as_task() { return flow::continue_receiver::try_put_task(continue_msg()); }
};
class entrance : public flow::receiver<continue_msg> {
 public:
  entrance(graph& g, open_node& to) : its_(&g), to_(&to) {}
  graph& graph_reference() const override { return *its_; }
  void reset_receiver(flow::reset_flags) override {}

 protected:
  tbb::task* try_put_task(continue_msg const&) override { return to_->put_as_task(); }

 private:
  graph* its_;
  open_node* to_;
};

TEST_CASE("a node's round counts messages that come as tasks") {
  for (int const last : {0, 1, 2}) {
    CAPTURE(last);
    graph g;
    std::atomic<int> runs{0};
    open_node node(g, 3, [&](continue_msg) { ++runs; });
    entrance in(g, node);
    for (int round = 1; round <= 3; ++round) {
      for (int i = 0; i < 3; ++i) {
        g.wait_for_all();
        CHECK(runs == round - 1);
        CHECK((i < last ? node.try_put(continue_msg()) : in.try_put(continue_msg())));
      }
      g.wait_for_all();
      CHECK(runs == round);
    }
  }
}

TEST_CASE("each round is acted upon once, whoever sends") {
  for (int const threads : {2, 8, 32}) {
    CAPTURE(threads);
    with_threads(threads, [] {
      constexpr int rounds = 300;
      constexpr std::size_t predecessors = 5;
      graph g;
      counter c(g, 2);
      std::vector<std::unique_ptr<flow::function_node<int>>> nodes;
      for (std::size_t i = 0; i < predecessors; ++i) {
        nodes.push_back(std::make_unique<flow::function_node<int>>(g, unlimited, [](int x) {
          disturb(static_cast<std::size_t>(x));
          return continue_msg();
        }));
        make_edge(*nodes.back(), c);
      }
      std::thread outside([&] {
        for (int i = 0; i < 2 * rounds; ++i) c.put();
      });
      for (int i = 0; i < rounds; ++i) {
        for (auto const& n : nodes) n->try_put(i);
      }
      g.wait_for_all();
      outside.join();
      CHECK(c.runs() == rounds);
    });
  }
}

// Makes a task of the graph for each round.
class spawner : public flow::continue_receiver {
 public:
  spawner(graph& g, int predecessors) : flow::continue_receiver(predecessors, flow::no_priority), its_(g) {}
  graph& graph_reference() const override { return its_; }
  std::atomic<int> ended{0};

 private:
  struct step : tbb::task {
    explicit step(std::atomic<int>& c) : count(c) {}
    tbb::task* execute() override {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      ++count;
      return nullptr;
    }
    std::atomic<int>& count;
  };
  tbb::task* execute() override {
    its_.root_task()->increment_ref_count();
    return new (its_.root_task()->allocate_child()) step(ended);
  }
  graph& its_;
};

TEST_CASE("a task that execute() returns runs, and is waited for") {
  for (int const threads : {1, 2, 8}) {
    with_threads(threads, [] {
      graph g;
      g.root_task();
      spawner s(g, 1);
      flow::broadcast_node<continue_msg> a(g);
      make_edge(a, s);
      for (int i = 0; i < 20; ++i) {
        a.try_put(continue_msg());
        CHECK(s.try_put(continue_msg()));
      }
      g.wait_for_all();
      CHECK(s.ended == 20);
    });
  }
}

class thrower : public flow::continue_receiver {
 public:
  thrower(graph& g, int predecessors) : flow::continue_receiver(predecessors, flow::no_priority), its_(g) {}
  graph& graph_reference() const override { return its_; }

 private:
  tbb::task* execute() override { throw std::runtime_error("execute"); }
  graph& its_;
};

TEST_CASE("what execute() throws comes to who has sent the last message") {
  with_threads(2, [] {
    graph g;
    thrower t(g, 2);
    CHECK(t.try_put(continue_msg()));
    CHECK_THROWS_AS(t.try_put(continue_msg()), std::runtime_error);
    CHECK(t.try_put(continue_msg()));  // of the next round
    flow::continue_node<continue_msg> from(g, [](continue_msg const&) { return continue_msg(); });
    make_edge(from, t);
    from.try_put(continue_msg());
    g.wait_for_all();
    from.try_put(continue_msg());
    CHECK_THROWS_AS(g.wait_for_all(), std::runtime_error);
  });
}

// A node of the program: the graph resets it.
class program_node : public flow::graph_node, public counter {
 public:
  program_node(graph& g, int predecessors) : flow::graph_node(g), counter(g, predecessors) {}

 protected:
  void reset_node(flow::reset_flags f) override { reset_receiver(f); }
};

TEST_CASE("a node of the program may be one, too") {
  graph g;
  program_node n(g, 3);
  CHECK(n.put());
  g.reset();
  CHECK(n.puts_needed() == 3);
}

}  // namespace
