// SPDX-License-Identifier: Apache-2.0
// What is told of a graph's size before it is unfolded, and the refusal of what is too large.
#include "graphs/size.h"

#include "engine/simulate.h"
#include "graphs/catalogue.h"
#include "machine/machine_file.h"
#include "program/analysis.h"
#include "program/bad_input.h"
#include "tests/small_graphs.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

using namespace ashlar::sim;

namespace {

result run_of(std::string const& graph, unsigned workers) {
  options o;
  o.workers = workers;
  o.victim = parse_victim("distance");
  return simulate(*make_graph(graph), load_machine("epyc").described, o);
}

std::string complaint(std::string const& graph, size_limits const& limits, unsigned workers = 1, unsigned at_once = 1) {
  try {
    require_size(graph, limits, workers, at_once);
  } catch (bad_input const& e) {
    return e.what();
  }
  return "none";
}

// The graphs of the table, and others of each in whose sizes the halves are uneven, leaves come early or late, …
std::vector<std::string> graphs() {
  std::vector<std::string> all = small_graphs;
  for (char const* more : {"fib:n=0",
                           "fib:n=1,cutoff=9",
                           "fib:n=9,cutoff=10",
                           "fib:n=10,cutoff=10",
                           "fib:n=2",
                           "nqueens:n=8,cutoff=18",
                           "nqueens:n=7,cutoff=0",
                           "treeadd:depth=9,cutoff=0",
                           "treeadd:depth=6,cutoff=40",
                           "matmultrec:n=100,block=7",
                           "matmultrec:n=4,block=4",
                           "matmult:items=1,grain=5",
                           "matmult:items=1000,grain=7,loops=3",
                           "matmult:items=97,grain=3",
                           "matmult:items=96,grain=3",
                           "lu:n=2",
                           "lu:n=77,grain=1",
                           "lu:n=30,grain=100000",
                           "imbalanced:items=1,grain=1",
                           "imbalanced:items=777,grain=11,step_ns=13",
                           "bodytrack:frames=2,layers=1,particles=77,rows=100,grain=3",
                           "bodytrack:frames=1,layers=3,particles=999,rows=2",
                           "swaptions:swaptions=1,batches=1,inner=1",
                           "swaptions:swaptions=13,batches=3,inner=21,least_steps=4,most_steps=4",
                           "pipeline:tokens=7,in_flight=100",
                           "pipeline:tokens=99,in_flight=1",
                           "bag:tasks=1",
                           "utsT1:depth=1,b=1",
                           "utsT3:roots=1,q_millionths=0"}) {
    all.emplace_back(more);
  }
  return all;
}

}  // namespace

TEST_CASE("a graph's size is what it unfolds to") {
  for (std::string const& graph : graphs()) {
    CAPTURE(graph);
    graph_size const size = size_of_graph(graph);
    analysis const a = analyse(*make_graph(graph));
    auto const tasks = static_cast<double>(a.tasks), work = static_cast<double>(a.work);
    bool const estimated = graph.find("queens") != std::string::npos;
    CHECK(size.tasks == doctest::Approx(tasks).epsilon(estimated ? 0.05 : 1e-12));
    // Where items vary, the sum is what is to be expected.
    CHECK(size.work == doctest::Approx(work).epsilon(size.items == 0                 ? 1e-12
                                                     : graph.find("bitcounter") == 0 ? 0.3
                                                                                     : 0.05));
    // One worker needs so much and no more; the queens' rows are never all free.
    double const open = static_cast<double>(std::max<std::uint64_t>(1, run_of(graph, 1).most_open_tasks));
    CHECK(open <= size.open);
    if (!estimated) CHECK(open == size.open);
    CHECK(static_cast<double>(run_of(graph, 7).most_open_tasks) <= size.open + 6 * size.open_each);
  }
}

TEST_CASE("a tree that is walked no further is as large as is to be expected") {
  // 2 000 000 and 1 398 101 nodes are to be expected; the trees have 4 112 897 and 4 130 071.
  CHECK(size_of_graph("utsT3:q_millionths=124875").tasks == doctest::Approx(2000 / 0.001 + 1));
  CHECK(size_of_graph("utsT1:depth=10").tasks == doctest::Approx(1398101));
  CHECK(std::isinf(size_of_graph("utsT3:q_millionths=125000").tasks));
  // `ashlar-sim graphs nqueens:n=12,cutoff=12` counts them.
  CHECK(size_of_graph("nqueens:n=12,cutoff=18").tasks == doctest::Approx(856189).epsilon(0.05));
  CHECK(size_of_graph("nqueens:n=12,cutoff=2").items == doctest::Approx(856189).epsilon(0.05));
}

TEST_CASE("each graph is refused above the limits of tasks, of work and of memory, and not below") {
  for (std::string const& graph : small_graphs) {
    CAPTURE(graph);
    graph_size const size = size_of_graph(graph);
    size_limits limits;
    CHECK(complaint(graph, limits) == "none");
    limits.tasks = size.tasks + 1;
    limits.tasks = std::max(limits.tasks, size.items / size_limits::items_per_task);
    CHECK(complaint(graph, limits) == "none");
    limits.tasks = size.tasks * 0.99 - 1;
    CHECK(complaint(graph, limits).find("graph " + graph + " is too large: about ") == 0);
    CHECK(complaint(graph, limits).find(" tasks, and --max-tasks is ") != std::string::npos);
    limits = {};
    limits.memory = size.open * size_limits::bytes_per_task + 2000;
    CHECK(complaint(graph, limits) == "none");
    CHECK(complaint(graph, limits, 1, 9).find(" tasks that are open at once in each of 9 runs, and --max-memory is ") !=
          std::string::npos);
    limits.memory = size.open * size_limits::bytes_per_task;
    CHECK(complaint(graph, limits).find(" tasks that are open at once, and --max-memory is ") != std::string::npos);
  }
}

TEST_CASE("what can't end, fit or be counted is refused at once") {
  struct {
    char const* graph;
    char const* part;
  } const cases[] = {{"fib:n=60", "about 5.01e+12 tasks, and --max-tasks is 2e+08"},
                     {"fibcut:n=60,cutoff=2", "about 5.01e+12 tasks"},
                     {"fib:n=60,cutoff=60,call_ns=1000000", "about 5.01e+09 s of work, and a run may last 4504 s"},
                     {"nqueens:n=18,cutoff=18", " tasks, and --max-tasks"},
                     {"nqueens:n=18,cutoff=3,node_ns=0", " items, and --max-tasks 2e+08 allows 1.28e+10"},
                     {"utsT1:depth=100", "about 2.14e+60 tasks"},
                     {"utsT1:depth=100,b=100", "about 1.01e+200 tasks"},
                     {"utsT3:q_millionths=1000000", "its tree need not end"},
                     {"utsT3:q_millionths=124999", "about 2.5e+08 tasks"},
                     {"treeadd:depth=40,cutoff=40", "about 2.2e+12 tasks"},
                     {"treeadd:depth=40,cutoff=0", " s of work"},
                     {"matmultrec:n=65536,block=1", "about 3.22e+14 tasks"},
                     {"matmult:items=1000000000,item_ns=0", "about 1e+09 tasks"},
                     {"blackscholes:items=1000000000,grain=1000000000,loops=100,item_ns=0", "about 1e+11 items"},
                     {"fluidanimate:loops=10000000", "about 6.4e+08 tasks"},
                     {"streamcluster:loops=10000000,items=1000000000", "about 1.34e+15 tasks"},
                     {"lu:n=100000,grain=1,element_ns=0", "about 5e+09 tasks"},
                     {"imbalanced:items=1000000,step_ns=1000000", "about 5e+08 s of work"},
                     {"bodytrack:frames=100000,layers=1000,particles=10000000", " tasks, and"},
                     {"swaptions:swaptions=1000000,batches=1000000,inner=100000", "about 1e+17 tasks"},
                     {"pipeline:tokens=10000000,filter_ns=1000000000", " s of work"},
                     {"bag:tasks=100000000,task_ns=0",
                      "about 12800 MB of memory for 1e+08 tasks that are open at once, and --max-memory is 4000 MB"}};
  for (auto const& c : cases) {
    CAPTURE(std::string(c.graph));
    std::string const line = complaint(c.graph, {});
    CAPTURE(line);
    CHECK(line.find(c.part) != std::string::npos);
    CHECK(line.find('\n') == std::string::npos);
  }
}
