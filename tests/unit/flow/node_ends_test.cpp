// SPDX-License-Identifier: Apache-2.0
// Nodes that are destroyed while messages are under way, and what the graph says of nodes that do what they must not.
#include <tbb/flow_graph.h>
#include <tbb/profiling.h>

#include <doctest/doctest.h>

#include "support/thread_team.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

using namespace tbb::flow;

namespace {

template <typename F>
void with_threads(std::initializer_list<unsigned> numbers, F f) {
  for (unsigned const p : numbers) {
    CAPTURE(p);
    test::thread_team const limit(p);
    tbb::task_arena arena(static_cast<int>(p));
    arena.execute(f);
  }
}

// What f prints on stderr.
template <typename F>
std::string errors_of(F const& f) {
  std::FILE* const file = std::tmpfile();
  REQUIRE(file != nullptr);
  std::fflush(stderr);
  int const before = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  f();
  std::fflush(stderr);
  dup2(before, STDERR_FILENO);
  close(before);
  std::rewind(file);
  std::string all;
  char line[256];
  while (std::fgets(line, sizeof line, file) != nullptr) all += line;
  std::fclose(file);
  return all;
}

}  // namespace

TEST_CASE("a node that is destroyed ends its messages first, also if somebody has reserved the wait") {
  with_threads({1, 2, 8}, [] {
    for (int round = 0; round < 50; ++round) {
      graph g;
      std::atomic<int> n{0};
      g.reserve_wait();
      auto f = std::make_unique<function_node<int>>(g, unlimited, [&](int) {
        std::this_thread::sleep_for(std::chrono::microseconds(20));
        ++n;
      });
      for (int i = 0; i < 3; ++i) f->try_put(i);
      errors_of([&] { f.reset(); });
      CHECK(n == 3);
      g.release_wait();
      g.wait_for_all();
    }
  });
}

TEST_CASE("messages of a node that is destroyed end, while others reserve and release") {
  tbb::task_arena arena(4);
  arena.execute([] {
    graph g;
    std::atomic<bool> ended{false};
    std::atomic<int> n{0};
    int put = 0;
    std::thread other([&] {
      while (!ended) {
        g.reserve_wait();
        std::this_thread::yield();
        g.release_wait();
      }
    });
    errors_of([&] {
      for (int round = 0; round < 300; ++round) {
        auto f = std::make_unique<function_node<int>>(g, 2, [&](int) { ++n; });
        for (int i = 0; i < 5; ++i) put += f->try_put(i);
        f.reset();
        if (n != put) break;
      }
    });
    CHECK(n == put);
    ended = true;
    other.join();
    g.wait_for_all();
  });
}

// Whoever has reserved may wait for the thread that destroys.
TEST_CASE("a node that has nothing to do ends at once while the wait is reserved") {
  with_threads({1, 2}, [] {
    graph g;
    std::atomic<bool> destroyed{false};
    int n = 0;
    auto f = std::make_unique<function_node<int>>(g, serial, [&](int) { ++n; });
    f->try_put(1);
    g.wait_for_all();
    CHECK(n == 1);
    g.reserve_wait();
    std::thread releases([&] {
      while (!destroyed) std::this_thread::yield();
      g.release_wait();
    });
    f.reset();
    destroyed = true;
    releases.join();
    g.wait_for_all();
  });
}

TEST_CASE("with assertions a node that is destroyed in flight is named") {
  with_threads({1}, [] {
    graph g;
    std::string const said = errors_of([&] {
      auto f = std::make_unique<function_node<int>>(g, serial, [](int) {});
      tbb::profiling::set_name(*f, "decode");
      f->try_put(1);
      f.reset();
      function_node<int> unnamed(g, serial, [](int) {});
      unnamed.try_put(1);
    });
#if TBB_USE_ASSERT
    CHECK(said ==
          "ashlar: flow graph: decode is destroyed while work is under way in its graph\n"
          "ashlar: flow graph: function_node 0 is destroyed while work is under way in its graph\n");
#else
    CHECK(said.empty());
#endif
    CHECK(errors_of([&] {
            function_node<int> f(g, serial, [](int) {});
            f.try_put(1);
            g.wait_for_all();
            g.reserve_wait();
          }).empty());
    g.release_wait();
  });
}

namespace {

template <typename F>
std::string text_of_wait(graph& g, F const& put) {
  put();
  try {
    g.wait_for_all();
  } catch (tbb::unsafe_wait const& e) {
    return e.what();
  }
  return "";
}
bool names(std::string const& text, std::string const& node) {
  std::string const end = ": that of " + node;
  return text.size() > end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

TEST_CASE("a body that waits for its own graph is named") {
  with_threads({1, 2}, [] {
    graph g;
    function_node<int> other(g, serial, [](int) {});
    function_node<int> one(g, serial, [&](int) { g.wait_for_all(); });
    function_node<int, continue_msg, lightweight> light(g, unlimited, [&](int) { g.wait_for_all(); });
    continue_node<continue_msg> rounds(g, [&](continue_msg) { g.wait_for_all(); });
    input_node<int> source(g, [&](tbb::flow_control& control) {
      control.stop();
      g.wait_for_all();
      return 1;
    });
    tbb::profiling::set_name(rounds, "the rounds");
    CHECK(names(text_of_wait(g, [&] { one.try_put(1); }), "function_node 1"));
    CHECK(names(text_of_wait(g, [&] { light.try_put(1); }), "function_node 2"));
    CHECK(names(text_of_wait(g, [&] { rounds.try_put(continue_msg()); }), "the rounds"));
    make_edge(source, other);
    CHECK(names(text_of_wait(g, [&] { source.activate(); }), "source 4"));
  });
}

TEST_CASE("the node is that of the graph that was waited for") {
  graph outer;
  function_node<int> f(outer, serial, [](int) {
    graph inner;
    function_node<int> g(inner, serial, [&](int) { inner.wait_for_all(); });
    tbb::profiling::set_name(g, "inside");
    g.try_put(1);
    inner.wait_for_all();
  });
  tbb::profiling::set_name(f, "outside");
  CHECK(names(text_of_wait(outer, [&] { f.try_put(1); }), "inside"));
}
