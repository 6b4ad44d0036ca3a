// SPDX-License-Identifier: Apache-2.0
// Task graphs of traces that are written down event by event, with work and span computed by hand.
#include "trace/critical_path.h"
#include "trace/graph_builder.h"

#include "program/analysis.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace {

using namespace ashlar::sim;  // NOLINT

// One tick is one nanosecond.
class scene {
 public:
  explicit scene(std::size_t lanes) {
    made_.file = "scene";
    made_.complete = true;
    made_.lanes.resize(lanes);
  }
  scene& at(std::size_t lane, std::uint64_t ns, trace_event kind, std::uint64_t payload = 0) {
    made_.lanes[lane].events.push_back({ns, payload, 0, kind});
    return *this;
  }
  scene& name(std::size_t lane, std::uint64_t ns, char const* text) {
    made_.names.emplace_back(text);
    return at(lane, ns, trace_event::region, made_.names.size() - 1);
  }
  task_graph graph(std::uint64_t end) {
    made_.end_ticks = end;
    return build_graph(made_);
  }

 private:
  trace made_;
};

using e = trace_event;

picoseconds ns(std::uint64_t n) { return n * nanosecond; }

void check_program(task_graph const& g) {
  path_analysis const own = analyse_path(g);
  analysis const converted = analyse(to_program(g));
  CHECK(converted.work == own.work);
  CHECK(converted.span == own.span);
}

TEST_CASE("a stolen fork: work is all that is computed, span the longer half") {
  // main: 10, fork, 20, waits for the thief until 52, 8. The thief: 40.
  task_graph const g = scene(2)
                           .at(0, 10, e::spawn, 1)
                           .at(0, 30, e::wait_begin, 1)
                           .at(0, 52, e::wait_end, 1)
                           .at(0, 52, e::join, 1)
                           .at(1, 12, e::begin, 1)
                           .at(1, 52, e::end, 1)
                           .graph(60);
  path_analysis const p = analyse_path(g);
  CHECK(p.work == ns(10 + 20 + 40 + 8));
  CHECK(p.span == ns(10 + 40 + 8));
  CHECK(g.threads == 2);
  check_program(g);
  CHECK(analyse_path(g, ns(5)).span == ns(10 + 5 + 40 + 8));
}

TEST_CASE("a fork that nobody stole has the same work and span") {
  task_graph const g =
      scene(1).at(0, 10, e::spawn, 1).at(0, 30, e::begin, 1).at(0, 70, e::end, 1).at(0, 71, e::join, 1).graph(79);
  path_analysis const p = analyse_path(g);
  CHECK(p.work == ns(10 + 20 + 40 + 8));
  CHECK(p.span == ns(10 + 40 + 8));
  check_program(g);
}

TEST_CASE("an inner fork joins its own half only") {
  // fork B (100); inside the first half: 5, fork C (10), 5, join C, 30; join B.
  task_graph const g = scene(1)
                           .at(0, 0, e::spawn, 1)
                           .at(0, 5, e::spawn, 2)
                           .at(0, 10, e::begin, 2)
                           .at(0, 20, e::end, 2)
                           .at(0, 20, e::join, 2)
                           .at(0, 50, e::begin, 1)
                           .at(0, 150, e::end, 1)
                           .at(0, 150, e::join, 1)
                           .graph(150);
  path_analysis const p = analyse_path(g);
  CHECK(p.work == ns(5 + 5 + 10 + 30 + 100));
  CHECK(p.span == ns(100));  // the first half takes 5 + 10 + 30
  check_program(g);
}

TEST_CASE("a group's wait joins everything that was spawned, and what that spawned") {
  // Two tasks of 50 and 30; the second spawns one of 40 and doesn't wait for it.
  task_graph const g = scene(2)
                           .at(0, 1, e::spawn, 1)
                           .at(0, 2, e::spawn, 2)
                           .at(0, 3, e::begin, 2)
                           .at(0, 20, e::spawn, 3)
                           .at(0, 33, e::end, 2)
                           .at(0, 33, e::begin, 3)
                           .at(0, 73, e::end, 3)
                           .at(0, 74, e::wait_end)
                           .at(1, 5, e::begin, 1)
                           .at(1, 55, e::end, 1)
                           .graph(84);
  path_analysis const p = analyse_path(g);
  CHECK(p.work == ns(1 + 1 + 1 + 50 + 30 + 40 + 10));
  CHECK(p.span == ns(1 + 1 + 17 + 40 + 10));
  check_program(g);
}

TEST_CASE("a wait joins the group's tasks, not those of an enclosing group that are not over") {
  // The outer group's task (60) begins after the inner group's wait.
  task_graph const g = scene(1)
                           .at(0, 0, e::spawn, 1)
                           .at(0, 5, e::spawn, 2)
                           .at(0, 6, e::begin, 2)
                           .at(0, 26, e::end, 2)
                           .at(0, 26, e::wait_end)
                           .at(0, 66, e::begin, 1)
                           .at(0, 126, e::end, 1)
                           .at(0, 126, e::wait_end)
                           .graph(126);
  path_analysis const p = analyse_path(g);
  CHECK(p.work == ns(5 + 1 + 20 + 40 + 60));
  CHECK(p.span == ns(5 + 20 + 40));
  check_program(g);
}

TEST_CASE("a classic continuation starts when its predecessors are over, wherever it runs") {
  // T (task 1) makes continuation 9 with the children 2 and 3 and ends; 3's end starts it.
  task_graph const g = scene(2)
                           .at(0, 0, e::spawn, 1)
                           .at(0, 0, e::begin, 1)
                           .at(0, 10, e::spawn, 2)
                           .at(0, 10, e::spawn, 3)
                           .at(0, 10, e::end, 1)
                           .at(0, 10, e::begin, 3)
                           .at(0, 10, e::parent, 9)
                           .at(0, 40, e::end, 3)
                           .at(1, 12, e::begin, 2)
                           .at(1, 12, e::parent, 9)
                           .at(1, 62, e::end, 2)
                           .at(1, 62, e::begin, 9)
                           .at(1, 69, e::end, 9)
                           .at(0, 70, e::wait_end)
                           .graph(70);
  path_analysis const p = analyse_path(g);
  CHECK(p.work == ns(10 + 30 + 50 + 7));
  CHECK(p.span == ns(10 + 50 + 7));
  REQUIRE(g.tasks.size() == 5);
  CHECK(g.tasks[4].continues);
  check_program(g);
}

TEST_CASE("preemption is clipped, blocking on one's own account is not") {
  task_graph const g = scene(1)
                           .at(0, 1000, e::lost, 600 * 2)
                           .at(0, 1000, e::spawn, 1)
                           .at(0, 1000, e::begin, 1)
                           .at(0, 3000, e::lost, 500 * 2 + 1)
                           .at(0, 3000, e::end, 1)
                           .at(0, 3000, e::wait_end)
                           .graph(3000);
  CHECK(analyse_path(g).work == ns(400 + 2000));
  CHECK(g.preempted == ns(600));
  CHECK(g.blocked == ns(500));
}

TEST_CASE("what the main thread sleeps after its last task is no work, what it sleeps before is") {
  task_graph const g = scene(1)
                           .at(0, 400, e::lost, 300 * 2 + 1)
                           .at(0, 400, e::spawn, 1)
                           .at(0, 400, e::begin, 1)
                           .at(0, 440, e::end, 1)
                           .at(0, 440, e::wait_end)
                           .at(0, 1390, e::lost, 900 * 2 + 1)
                           .name(0, 1390, "the end")
                           .at(0, 1490, e::region, trace::no_name)
                           .at(0, 3490, e::lost, 2000 * 2 + 1)
                           .at(0, 3490, e::occupy)
                           .graph(3540);
  CHECK(analyse_path(g).work == ns(400 + 40 + 50 + 100 + 50));
  CHECK(g.tasks[0].work == ns(400 + 50 + 100 + 50));
  CHECK(g.blocked == ns(300));
  CHECK(g.recorded_time == ns(3540));
  check_program(g);
}

TEST_CASE("time belongs to the innermost region, and tasks inherit it") {
  task_graph const g = scene(1)
                           .name(0, 10, "outer")
                           .at(0, 30, e::spawn, 1)
                           .at(0, 30, e::begin, 1)
                           .name(0, 60, "inner")
                           .at(0, 100, e::region, trace::no_name)
                           .at(0, 101, e::end, 1)
                           .at(0, 101, e::wait_end)
                           .at(0, 101, e::region, trace::no_name)
                           .graph(108);
  path_analysis const p = analyse_path(g);
  auto const of = [&](char const* name) {
    auto const at = std::find(g.regions.begin(), g.regions.end(), name);
    REQUIRE(at != g.regions.end());
    return p.path_by_region[static_cast<std::size_t>(at - g.regions.begin())];
  };
  CHECK(of("main thread, outside of tasks") == ns(10 + 7));
  CHECK(of("outer") == ns(20 + 30 + 1));
  CHECK(of("inner") == ns(40));
}

TEST_CASE("a wait that is over while another task runs on top of it is buried") {
  task_graph const g = scene(2)
                           .at(0, 0, e::spawn, 1)
                           .at(0, 0, e::wait_begin, 1)
                           .at(0, 100, e::steal)
                           .at(0, 100, e::begin, 5)
                           .at(0, 90000, e::end, 5)
                           .at(0, 90000, e::wait_end, 1)
                           .at(0, 90000, e::join, 1)
                           .at(1, 10, e::begin, 1)
                           .at(1, 10000, e::end, 1)
                           .graph(90000);
  CHECK(g.buried_waits == 1);
  CHECK(g.buried_time == ns(80000));
}

TEST_CASE("the end of a task that does not run is an error with its place") {
  CHECK_THROWS_WITH_AS(scene(1).at(0, 5, e::end, 7).graph(9), doctest::Contains("scene:0: the end of a task"),
                       bad_input);
}

}  // namespace
