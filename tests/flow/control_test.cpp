// SPDX-License-Identifier: Apache-2.0
// Branches, loops, and nodes with a port for errors. Ours alone.
#include "support/dialect.h"

#include <doctest/doctest.h>

#include <tbb/task_arena.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>

namespace {

using namespace test;

TEST_CASE("a switch sends each message to the port that its function names, and drops what has none") {
  for (int const threads : {1, 2, 8}) {
    with_threads(threads, [] {
      graph g;
      std::atomic<int> sums[3] = {{0}, {0}, {0}};
      flow::switch_node<int, 3> choose(g, flow::unlimited, [](int x) { return static_cast<std::size_t>(x % 4); });
      auto const sum = [&](std::size_t i) { return [&sums, i](int x) { return sums[i] += x, continue_msg(); }; };
      flow::function_node<int> a(g, unlimited, sum(0)), b(g, unlimited, sum(1)), c(g, serial, sum(2));
      make_edge(choose, a);
      make_edge(flow::output_port<1>(choose), b);
      make_edge(flow::output_port<2>(choose), c);
      int expected[4] = {0, 0, 0, 0};
      for (int i = 0; i < 400; ++i) {
        choose.try_put(i);
        expected[i % 4] += i;
      }
      g.wait_for_all();
      for (int i = 0; i < 3; ++i) CHECK(sums[i] == expected[i]);
    });
  }
}

// Newton's steps for square roots, as many as each number needs.
TEST_CASE("a switch with an edge back is a loop, whose rounds nobody counts") {
  struct root {
    double of, is;
    int rounds;
  };
  for (int const threads : {1, 2, 8}) {
    with_threads(threads, [] {
      graph g;
      std::atomic<int> over{0}, wrong{0};
      flow::function_node<root, root> step(g, unlimited,
                                           [](root r) { return root{r.of, (r.is + r.of / r.is) / 2, r.rounds + 1}; });
      flow::switch_node<root> again(g, unlimited, [](root const& r) {
        double const error = r.is * r.is - r.of;
        return error < 1e-9 * r.of ? 1 : 0;
      });
      flow::function_node<root> end(g, serial, [&](root const& r) {
        ++over;
        if (r.is * r.is - r.of > 1e-8 * r.of || r.rounds < 1) ++wrong;
        return continue_msg();
      });
      make_edge(step, again);
      make_edge(flow::output_port<0>(again), step);
      make_edge(flow::output_port<1>(again), end);
      for (int i = 1; i <= 300; ++i) step.try_put(root{1.0 * i, 1.0 * i, 0});
      g.wait_for_all();
      CHECK(over == 300);
      CHECK(wrong == 0);
    });
  }
}

TEST_CASE("messages that can only be moved pass a switch") {
  graph g;
  int got = 0;
  flow::switch_node<std::unique_ptr<int>> choose(g, serial, [](std::unique_ptr<int> const& p) { return *p == 7; });
  flow::function_node<std::unique_ptr<int>> last(
      g, serial, [&](std::unique_ptr<int> const& p) { return got += *p, continue_msg(); });
  make_edge(flow::output_port<1>(choose), last);
  choose.try_put(std::make_unique<int>(7));
  choose.try_put(std::make_unique<int>(8));
  g.wait_for_all();
  CHECK(got == 7);
}

TEST_CASE("by a lightweight policy a switch and a fallible node run in the putting thread") {
  for (int const threads : {1, 2}) {
    with_threads(threads, [] {
      graph g;
      int chosen = 0, parsed = 0, failed = 0;
      std::thread::id ran;
      // Copies of the message: its sender keeps it.
      flow::switch_node<std::string, 2, flow::lightweight> choose(g, unlimited, [&](std::string const& s) noexcept {
        ran = std::this_thread::get_id();
        return ++chosen, s.size() % 2;
      });
      flow::fallible_node<std::string, int, flow::lightweight> parse(g, unlimited, [&](std::string const& s) {
        ++parsed;
        return std::stoi(s);
      });
      flow::queue_node<int> numbers(g);
      flow::queue_node<flow::failed_message<std::string>> errors(g);
      make_edge(flow::output_port<0>(choose), parse);
      make_edge(parse, numbers);
      make_edge(flow::error_port(parse), errors);
      std::string const number = "12", nonsense = "no";
      CHECK(choose.try_put(number));
      CHECK((chosen == 1 && parsed == 1));
      bool const in_this_thread = ran == std::this_thread::get_id();
      CHECK(in_this_thread);
      CHECK(choose.try_put(nonsense));
      CHECK((chosen == 2 && parsed == 2));
      CHECK((number == "12" && nonsense == "no"));
      g.wait_for_all();
      int x = 0;
      CHECK((numbers.try_get(x) && x == 12));
      flow::failed_message<std::string> f;
      CHECK((errors.try_get(f) && f.message == "no"));
      failed += f.exception != nullptr;
      CHECK(failed == 1);
    });
  }
}

// As elsewhere: oneTBB's dialect calls only what is noexcept in the sender's task; what can't be copied goes as a job.
TEST_CASE("a switch whose function may throw, and one of messages that can only be moved, with a lightweight policy") {
  with_threads(1, [] {
    graph g;
    int chosen = 0, got = 0;
    flow::switch_node<int, 2, flow::lightweight> may_throw(g, unlimited, [&](int x) { return ++chosen, x % 2; });
    may_throw.try_put(1);
    CHECK(chosen == (classic ? 1 : 0));
    g.wait_for_all();
    CHECK(chosen == 1);
    flow::switch_node<std::unique_ptr<int>, 2, flow::lightweight> moves(
        g, unlimited, [](std::unique_ptr<int> const& p) noexcept { return *p == 7; });
    flow::function_node<std::unique_ptr<int>> last(
        g, serial, [&](std::unique_ptr<int> const& p) { return got += *p, continue_msg(); });
    make_edge(flow::output_port<1>(moves), last);
    moves.try_put(std::make_unique<int>(7));
    g.wait_for_all();
    CHECK(got == 7);
  });
}

// A program's own words for how something ended: no name of ours hides them.
namespace words_of_a_program {
using namespace tbb::flow;
enum outcome { success, failure };
constexpr outcome last = failure;
static_assert(last != success);
}  // namespace words_of_a_program

TEST_CASE("what a body throws comes out of the error port with its message, and the graph goes on") {
  for (int const threads : {1, 2, 8}) {
    with_threads(threads, [] {
      graph g;
      std::atomic<int> good{0}, bad{0}, wrong{0};
      flow::fallible_node<std::string, int> parse(g, unlimited, [](std::string const& s) { return std::stoi(s); });
      flow::function_node<int> sum(g, serial, [&](int x) { return good += x, continue_msg(); });
      flow::function_node<flow::failed_message<std::string>> report(g, serial,
                                                                    [&](flow::failed_message<std::string> const& f) {
                                                                      try {
                                                                        std::rethrow_exception(f.exception);
                                                                      } catch (std::invalid_argument const&) {
                                                                        ++bad;
                                                                      } catch (...) {
                                                                        ++wrong;
                                                                      }
                                                                      if (f.message != "nonsense") ++wrong;
                                                                      return continue_msg();
                                                                    });
      make_edge(parse, sum);
      make_edge(flow::error_port(parse), report);
      for (int i = 0; i < 100; ++i) {
        parse.try_put(std::to_string(i));
        parse.try_put("nonsense");
      }
      g.wait_for_all();
      CHECK(good == 4950);
      CHECK(bad == 100);
      CHECK(wrong == 0);
      CHECK_FALSE(g.exception_thrown());
    });
  }
}

TEST_CASE("without a successor of the error port the exception leaves the wait, and the graph works again") {
  graph g;
  int runs = 0;
  flow::fallible_node<int> node(g, serial, [&](int x) {
    ++runs;
    if (x == 1) throw std::runtime_error("body");
  });
  node.try_put(1);
  CHECK_THROWS_AS(g.wait_for_all(), std::runtime_error);
  node.try_put(2);
  g.wait_for_all();
  CHECK(runs == 2);
}

// Its second copy fails.
struct copied_once {
  explicit copied_once(std::atomic<int>& c) : copies(&c) {}
  copied_once(copied_once&&) = default;
  copied_once(copied_once const& other) : copies(other.copies) {
    if (++*copies == 2) throw std::runtime_error("copy");
  }
  std::atomic<int>* copies;
};

TEST_CASE("a result that a successor can't copy is no failure of the body") {
  graph g;
  std::atomic<int> copies{0}, failures{0};
  flow::fallible_node<int, copied_once> node(g, serial, [&](int) { return copied_once(copies); });
  auto const ignore = [](copied_once const&) { return continue_msg(); };
  flow::function_node<copied_once> a(g, unlimited, ignore), b(g, unlimited, ignore), c(g, unlimited, ignore);
  flow::function_node<flow::failed_message<int>, continue_msg, flow::lightweight> report(
      g, unlimited, [&](flow::failed_message<int> const&) noexcept { return ++failures, continue_msg(); });
  make_edge(node, a);
  make_edge(node, b);
  make_edge(node, c);
  make_edge(flow::error_port(node), report);
  node.try_put(1);
  CHECK_THROWS_AS(g.wait_for_all(), std::runtime_error);
  CHECK(copies == 2);
  CHECK(failures == 0);
}

TEST_CASE("a graph works in the arena that it was given") {
  constexpr int messages = 300;
  with_threads(4, [] {
    tbb::task_arena one(1), two(2);
    tbb::task_group_context context;
    graph g(one), h(two, context);
    crowd inside_one, inside_two;
    std::atomic<int> runs{0};
    auto const visit = [&](crowd& c) {
      crowd::visit const here(c);
      std::this_thread::yield();
      return ++runs, continue_msg();
    };
    flow::function_node<int> a(g, unlimited, [&](int) { return visit(inside_one); });
    flow::function_node<int> b(h, unlimited, [&](int) { return visit(inside_two); });
    for (int i = 0; i < messages; ++i) {
      a.try_put(i);
      b.try_put(i);
    }
    g.wait_for_all();
    h.wait_for_all();
    CHECK(runs == 2 * messages);
    CHECK(inside_one.most() <= 1);
    CHECK(inside_two.most() <= 2);
    g.attach(two);
    for (int i = 0; i < messages; ++i) a.try_put(i);
    g.wait_for_all();
    CHECK(runs == 3 * messages);
    CHECK(inside_one.most() <= 2);
  });
}

}  // namespace
