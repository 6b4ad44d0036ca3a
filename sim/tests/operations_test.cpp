// SPDX-License-Identifier: Apache-2.0
// The times of single operations, the scatter of a run's pauses, and the file of the first paper's main figure.
#include "study/operations.h"
#include "engine/simulate.h"
#include "graphs/catalogue.h"
#include "machine/machine_file.h"
#include "study/outcome.h"
#include "study/static_schedule.h"

#include <doctest/doctest.h>

#include <set>

using namespace ashlar::sim;

TEST_CASE("operations' times are parts of the activities' times") {
  machine const m = load_machine("cmp2008").described;
  auto const p = make_graph("lu:n=64");
  for (char const* policy : {"random", "occupancy", "oracle"}) {
    for (unsigned const workers : {1u, 2u, 16u}) {
      options o;
      o.workers = workers;
      o.victim = parse_victim(policy);
      result const r = simulate(*p, m, o);
      // Each was begun within the run, but what is under way when the root ends is cut off by then: one operation a
      // worker.
      picoseconds const under_way = workers * picoseconds(1'000'000);
      CHECK(r.spawning + r.popping <= r[activity::scheduling] + under_way);
      CHECK(r.taking <= r[activity::stealing] + under_way);
      CHECK(r.lock_waits <= r[activity::pausing] + under_way);
      CHECK(r.spawning >= r.spawns * m.costs.spawn);
      CHECK(r.popping >= r.pops * m.costs.pop);
      CHECK(r.pops + r.stolen_tasks == r.spawns);
      CHECK((workers == 1) == (r.taking == 0));
    }
  }
}

TEST_CASE("with jitter each seed is a run of its own, and each run can be repeated") {
  machine const m = load_machine("nehalem2015").described;
  auto const p = make_graph("streamcluster:loops=10");
  std::set<std::uint64_t> hashes;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    options o;
    o.workers = 8;
    o.victim = parse_victim("occupancy");
    o.seed = seed;
    o.jitter = true;
    std::uint64_t const hash = simulate(*p, m, o).hash;
    CHECK(simulate(*p, m, o).hash == hash);
    hashes.insert(hash);
  }
  CHECK(hashes.size() == 10);
}

TEST_CASE("the file of operations is stale after a change of cells, columns or fingerprints") {
  study_cell c = cell_of(study_section::iiswc2008, "Treeadd", "random", 4);
  c.graph = "treeadd:depth=6";
  std::vector<study_cell> const cells{with_seed(c, 1), with_seed(c, 2)};
  std::string const text = operations_text(cells);
  CHECK(operations_current(text, cells));
  CHECK_FALSE(operations_current(text, {cells[0]}));
  CHECK_FALSE(operations_current(text, {cells[0], cells[1], with_seed(c, 3)}));
  CHECK_FALSE(operations_current(text.substr(0, text.size() - 5), cells));
  CHECK_FALSE(operations_current("x" + text, cells));
  study_cell other = c;
  other.graph = "treeadd:depth=7";
  CHECK_FALSE(operations_current(text, {with_seed(other, 1), with_seed(other, 2)}));
  // The plan has ten runs of each of seven programs and six numbers of cores.
  CHECK(operations_plan().size() == 420);
}

TEST_CASE("a static schedule deals each loop in equal parts and meets behind it") {
  machine const m = load_machine("cmp2008").described;
  auto const taken = [&](char const* graph, unsigned threads) {
    return static_makespan(*make_graph(graph), m, threads) / nanosecond;
  };
  auto const meeting = [&](unsigned threads) { return barrier(m, threads) / nanosecond; };
  CHECK(meeting(1) == 0);
  // On a mesh of two by two: 41 ns and two steps of 6 for the line, 16 for each other thread, there and back.
  CHECK(meeting(4) == 2 * (41 + 12 + 2 * 16));
  // Two loops of eight items of 100 ns, each after 50 ns of serial work.
  char const* const even = "blackscholes:loops=2,items=8,grain=1,item_ns=100,spread=0,serial_ns=50";
  CHECK(taken(even, 1) == 2 * (50 + 800));
  CHECK(taken(even, 4) == 2 * (50 + 200 + meeting(4)));
  CHECK(taken(even, 3) == 2 * (50 + 300 + meeting(3)));
  // Item i costs i ns: the last of four threads has 6 and 7 of 0 to 7.
  CHECK(taken("imbalanced:items=8,grain=1,step_ns=1", 4) == 6 + 7 + meeting(4));
  // Whole swaptions are dealt, although their batches are parallel, too; with one length all are alike.
  char const* const swaptions =
      "swaptions:swaptions=4,batches=3,inner=2,step_ns=10,least_steps=5,most_steps=5,serial_ns=7";
  CHECK(taken(swaptions, 1) == 4 * 3 * (2 * 50 + 7));
  CHECK(taken(swaptions, 4) == 3 * (2 * 50 + 7) + meeting(4));
  CHECK(taken(swaptions, 8) == 3 * (2 * 50 + 7) + meeting(8));
}
