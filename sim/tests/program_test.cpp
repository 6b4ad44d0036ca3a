// SPDX-License-Identifier: Apache-2.0
// Programs: what their steps mean to the analysis, and what the builder of recorded ones refuses.
#include "graphs/catalogue.h"
#include "program/analysis.h"
#include "program/bad_input.h"
#include "program/record.h"
#include "program/recorded_program.h"

#include <doctest/doctest.h>

using namespace ashlar::sim;

namespace {

// root: 10, spawns a child of 100 and one of 30, works 20, waits, 5.
recorded_program small_program() {
  recorded_program::builder b;
  auto const outer = b.add_region("outer"), inner = b.add_region("inner");
  auto const root = b.add_task(outer), first = b.add_task(inner), second = b.add_task(inner);
  b.work(root, 4);
  b.work(root, 6);
  b.spawn(root, first);
  b.work(first, 100);
  b.spawn(root, second);
  b.work(root, 20);
  b.work(second, 30);
  b.wait(root);
  b.work(root, 5);
  return b.build();
}

}  // namespace

TEST_CASE("the analysis follows spawns and waits") {
  auto const p = small_program();
  analysis const a = analyse(p, 7);
  CHECK(a.tasks == 3);
  CHECK(a.spawns == 2);
  CHECK(a.waits == 1);
  CHECK(a.work == 165);
  CHECK(a.span == 115);
  CHECK(a.burdened_span == 122);
  CHECK(p.region_name(p.region_of(p.root())) == "outer");
  CHECK(p.join_of(p.root()) == join_kind::blocking);
}

TEST_CASE("neighbouring work is one step") { CHECK(small_program().steps().size() == 8); }

TEST_CASE("the builder names the task that is wrong") {
  recorded_program::builder b;
  auto const region = b.add_region("r");
  CHECK_THROWS_WITH_AS(b.build(), "a program needs a task", std::invalid_argument);
  auto const root = b.add_task(region);
  auto const child = b.add_task(region);
  CHECK_THROWS_WITH_AS(b.spawn(child, root), "task 0 is the root and can't be spawned", std::invalid_argument);
  CHECK_THROWS_WITH_AS(b.work(9, 1), "task 9 is unknown", std::invalid_argument);
  CHECK_THROWS_WITH_AS(b.add_task(3), "region 3 is unknown", std::invalid_argument);
  CHECK_THROWS_WITH_AS(b.build(), "task 1 is never spawned", std::invalid_argument);
  b.spawn(root, child);
  CHECK_THROWS_WITH_AS(b.spawn(root, child), "task 1 is spawned twice", std::invalid_argument);
  b.wait(root);
  b.wait_continuation(root);
  CHECK_THROWS_WITH_AS(b.build(), "task 0 mixes both kinds of waits", std::invalid_argument);
}

TEST_CASE("the builder refuses a circle that the root does not reach") {
  recorded_program::builder b;
  auto const region = b.add_region("r");
  b.add_task(region);
  auto const one = b.add_task(region), two = b.add_task(region);
  b.spawn(one, two);
  b.spawn(two, one);
  CHECK_THROWS_WITH_AS(b.build(), "some tasks spawn each other in a circle", std::invalid_argument);
}

TEST_CASE("fib has 2 fib(n+1) - 1 tasks and the same work with and without a cutoff") {
  analysis const plain = analyse(*make_graph("fib:n=15,call_ns=3"));
  CHECK(plain.tasks == 1973);
  CHECK(plain.work == 1973 * 3 * nanosecond);
  CHECK(plain.span == 15 * 3 * nanosecond);
  analysis const cut = analyse(*make_graph("fib:n=15,cutoff=6,call_ns=3"));
  CHECK(cut.work == plain.work);
  CHECK(cut.tasks < plain.tasks);
}

TEST_CASE("a recorded graph is the graph") {
  for (char const* graph :
       {"fib:n=10", "utsT1:depth=4", "swaptions:swaptions=3,batches=2", "bodytrack:frames=1,particles=50"}) {
    CAPTURE(graph);
    auto const p = make_graph(graph);
    analysis const lazy = analyse(*p), recorded = analyse(record(*p));
    CHECK(recorded.tasks == lazy.tasks);
    CHECK(recorded.spawns == lazy.spawns);
    CHECK(recorded.waits == lazy.waits);
    CHECK(recorded.work == lazy.work);
    CHECK(recorded.span == lazy.span);
  }
  CHECK(record(*make_graph("fib:n=10")).size() == 177);
  CHECK_THROWS_WITH_AS(record(*make_graph("fib:n=10"), 176),
                       "the graph has more than 176 tasks: too large to be recorded", bad_input);
}

TEST_CASE("a graph's specification is checked") {
  CHECK_THROWS_WITH_AS(make_graph("fip"), doctest::Contains("there is no graph 'fip'; 'fib' is near. There are: "),
                       bad_input);
  CHECK_THROWS_WITH_AS(make_graph("fib:m=3"), "graph fib has no parameter 'm'; it has: n, cutoff, call_ns", bad_input);
  CHECK_THROWS_WITH_AS(make_graph("fib:n=61"), "graph fib: n=61 is not between 0 and 60", bad_input);
  CHECK_THROWS_WITH_AS(make_graph("fib:n=3x"), "graph fib: 'n=3x' is not NAME=NUMBER", bad_input);
  CHECK_THROWS_WITH_AS(make_graph("fib:n"), "graph fib: 'n' is not NAME=NUMBER", bad_input);
}
