// SPDX-License-Identifier: Apache-2.0
// What only classic TBB's graphs have: tasks that belong to a graph, its root task, other names of the wait count, and
// receivers and senders that a program makes of tasks.
#include "support/dialect.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

namespace {

using namespace test;

TEST_CASE("a body that a graph runs is waited for, and its result goes to a receiver") {
  for (int const threads : {1, 2, 8}) {
    with_threads(threads, [] {
      graph g;
      std::atomic<int> runs{0}, sum{0};
      flow::function_node<int> take(g, serial, [&](int x) { return sum += x, continue_msg(); });
      for (int i = 1; i <= 100; ++i) {
        g.run([&runs, i] {
          disturb(static_cast<std::size_t>(i));
          ++runs;
        });
#ifdef FLOW_PEER  // TBB 2020's does not compile: its receivers' try_put_task is not accessible to it
        g.run([&take, i] { take.try_put(i); });
#else
        g.run(take, [i] { return i; });
#endif
      }
      g.wait_for_all();
      CHECK(runs == 100);
      CHECK(sum == 5050);
    });
  }
}

TEST_CASE("an exception of a body that a graph runs leaves the wait") {
  graph g;
  g.run([] { throw std::runtime_error("run"); });
  CHECK_THROWS_AS(g.wait_for_all(), std::runtime_error);
  CHECK(g.exception_thrown());
}

struct counting_task : tbb::task {
  explicit counting_task(std::atomic<int>& c, int below) : count(c), children(below) {}
  tbb::task* execute() override {
    ++count;
    if (children != 0) {
      set_ref_count(2);
      spawn_and_wait_for_all(*new (allocate_child()) counting_task(count, children - 1));
    }
    return nullptr;
  }
  std::atomic<int>& count;
  int const children;
};

TEST_CASE("children of the root task are waited for") {
  for (int const threads : {1, 4}) {
    with_threads(threads, [] {
      graph g;
      std::atomic<int> count{0};
      tbb::task& root = *g.root_task();
      for (int i = 0; i < 10; ++i) {
        root.increment_ref_count();
        tbb::task::spawn(*new (root.allocate_child()) counting_task(count, 3));
      }
      g.wait_for_all();
      CHECK(count == 40);
    });
  }
}

TEST_CASE("the wait count under its other name") {
  graph g;
  std::atomic<bool> over{false};
  g.increment_wait_count();
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    over = true;
    g.decrement_wait_count();
  });
  g.wait_for_all();
  CHECK(over);
  other.join();
}

// A receiver that makes a task of each message.
struct task_maker : flow::receiver<int> {
  struct adding : tbb::task {
    adding(std::atomic<int>& s, int x) : sum(s), value(x) {}
    tbb::task* execute() override { return sum += value, nullptr; }
    std::atomic<int>& sum;
    int const value;
  };
  explicit task_maker(graph& g) : its(g) {}
  tbb::task* try_put_task(int const& x) override {
    if (x < 0) return nullptr;
    if (x == 0) return flow::interface11::SUCCESSFULLY_ENQUEUED;
    its.root_task()->increment_ref_count();
    return new (its.root_task()->allocate_child()) adding(sum, x);
  }
  graph& graph_reference() const override { return its; }
  bool register_predecessor(predecessor_type&) override { return false; }
  bool remove_predecessor(predecessor_type&) override { return false; }
  void reset_receiver(flow::reset_flags) override {}
  graph& its;
  std::atomic<int> sum{0};
};

TEST_CASE("a program's own receiver returns tasks, which run") {
  with_threads(2, [] {
    graph g;
    g.root_task();
    flow::function_node<int, int> f(g, unlimited, [](int x) { return x; });
    task_maker own(g);
    make_edge(f, own);
    for (int i = -2; i <= 100; ++i) f.try_put(i);
    g.wait_for_all();
    g.wait_for_all();
    CHECK(own.sum == 5050);
    CHECK(!own.try_put(-1));
    CHECK(own.try_put(0));
  });
}

}  // namespace
