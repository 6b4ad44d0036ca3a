// SPDX-License-Identifier: Apache-2.0
// What task::current_context() is in bodies that try_put calls without a task: nothing, as there is no task. Loops in
// them, tasks that their waits run and bodies in tasks have one.
#include "support/dialect.h"

#include <doctest/doctest.h>

#include <tbb/parallel_for.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <thread>

namespace {

using namespace test;

bool in_context() { return tbb::task::current_context() != nullptr; }

using lightweight_node = flow::function_node<int, int, flow::lightweight>;

}  // namespace

TEST_CASE("a lightweight body that is called outside of tasks has no context, and a body in a task has one") {
  graph g;
  std::atomic<int> with{0}, without{0};
  auto const look = [&](int i) noexcept {
    ++(in_context() ? with : without);
    return i;
  };
  lightweight_node first(g, flow::unlimited, look), second(g, flow::unlimited, look);
  flow::function_node<int, int> in_task(g, flow::unlimited, look);
  lightweight_node third(g, flow::unlimited, look);
  flow::make_edge(first, second);
  SUBCASE("from the program's thread, then along an edge") {
    CHECK(first.try_put(1));
    g.wait_for_all();
    CHECK(without == 2);
    CHECK(with == 0);
  }
  SUBCASE("behind a body in a task") {
    flow::make_edge(in_task, third);
    CHECK(in_task.try_put(1));
    g.wait_for_all();
    CHECK(without == 0);
    CHECK(with == 2);
  }
  SUBCASE("from a loop's body") {
    tbb::parallel_for(0, 10, [&](int i) { first.try_put(i); });
    g.wait_for_all();
    CHECK(without == 0);
    CHECK(with == 20);
  }
  SUBCASE("in an arena, and on a thread that does not know the library yet") {
    tbb::task_arena arena(2);
    arena.execute([&] { first.try_put(1); });
    std::thread([&] { first.try_put(1); }).join();
    g.wait_for_all();
    CHECK(without == 4);
    CHECK(with == 0);
  }
  CHECK(!in_context());
}

TEST_CASE("a lightweight continue_node's body outside of tasks has no context") {
  graph g;
  bool has = true;
  flow::continue_node<int, flow::lightweight> node(g, 1, [&](flow::continue_msg const&) noexcept {
    has = in_context();
    return 1;
  });
  CHECK(node.try_put(flow::continue_msg()));
  g.wait_for_all();
  CHECK(!has);
}

TEST_CASE("loops and tasks in a body without a context have theirs") {
  graph g, other;
  std::atomic<int> with{0}, without{0};
  auto const look = [&] { ++(in_context() ? with : without); };
  lightweight_node inner(other, flow::unlimited, [&](int i) noexcept {
    look();
    return i;
  });
  flow::function_node<int, int> task_of_graph(g, flow::unlimited, [&](int i) {
    look();
    return i;
  });
  lightweight_node node(g, flow::unlimited, [&](int i) noexcept {
    tbb::parallel_for(0, 5, [&](int) { look(); });
    tbb::task_group group;
    group.run([&] { look(); });
    group.wait();
    task_of_graph.try_put(i);
    tbb::task_group more;
    more.run([&] { look(); });
    more.wait();
    CHECK(!in_context());
    inner.try_put(i);  // of another graph
    CHECK(!in_context());
    return i;
  });
  CHECK(node.try_put(1));
  g.wait_for_all();
  other.wait_for_all();
  CHECK(with == 5 + 1 + 1 + 1);
  CHECK(without == 1);
}
