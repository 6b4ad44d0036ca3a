// SPDX-License-Identifier: Apache-2.0
// The command line, run as a user runs it: status and the one line of a fault; a study that was interrupted.
#include "engine/policy.h"
#include "graphs/catalogue.h"
#include "machine/machine_file.h"
#include "program/analysis.h"
#include "program/bad_input.h"
#include "real/real_run.h"
#include "study/fingerprint.h"
#include "study/results.h"
#include "tests/small_graphs.h"

#include <support/scratch.h>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

using namespace ashlar::sim;

namespace {

struct outcome {
  int status;
  std::string text;  // both streams
};

outcome call(std::string const& arguments, std::string const& before = "") {
  std::FILE* const pipe = popen((before + ASHLAR_SIM_PROGRAM + " " + arguments + " 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  outcome o;
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) != 0;) o.text.append(buffer, n);
  int const status = pclose(pipe);
  o.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return o;
}

bool contains(std::string const& text, char const* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("run prints a row per cell, the same twice") {
  outcome const one = call("run --graph fib:n=12 -P 1,4 --policy random,oracle --out csv");
  CHECK(one.status == 0);
  CHECK(std::count(one.text.begin(), one.text.end(), '\n') == 5);
  CHECK(call("run --graph fib:n=12 -P 1,4 --policy random,oracle --out csv").text == one.text);
  auto const rows = nlohmann::json::parse(call("run --graph fib:n=12 -P 1,4 --policy random,oracle --out json").text);
  REQUIRE(rows.size() == 4);
  CHECK(rows[2].at("P") == 4);
  CHECK(rows[2].at("policy") == "random");
  CHECK(rows[2].at("speedup").is_number_float());
  CHECK(rows[2].at("hash").get<std::string>().size() == 18);
  // T1 / P + T_inf, once with P = 1 and once with 4.
  auto const number = [&](std::size_t row, char const* name) { return rows[row].at(name).get<double>(); };
  double const span = number(0, "bound") - number(0, "ms");
  CHECK(span > 0);
  CHECK(number(2, "bound") == doctest::Approx(number(0, "ms") / 4 + span).epsilon(1e-5));
  CHECK(contains(one.text, rows[2].at("hash").get<std::string>().c_str()));
}

namespace {

constexpr char const* faults[] = {"run --graph nothing",
                                  "run --machine /nowhere/m.json",
                                  "run -P 0",
                                  "run -P 1..5000",
                                  "run --policy best",
                                  "run --wait never",
                                  "run --idle never",
                                  "graphs fib:n=999",
                                  "graphs fib:n=5 fib:n=60",
                                  "run --graph fib:n=60",
                                  "bench --graph fib:n=60",
                                  "real --graph fib:n=60",
                                  "validate --machine epyc --graphs fib:n=60",
                                  "run --graph fib:n=-1",
                                  "run --graph fib:n=9223372036854775808",
                                  "run --graph fib:n=nan",
                                  "run --graph fib:n=1e2",
                                  "run --graph bag:tasks=1000000 --max-memory 100",
                                  "run --graph bag:tasks=1000000 --max-tasks 1e6",
                                  "run --max-tasks nan",
                                  "run --max-memory -1",
                                  "run --max-memory 1e300",
                                  "run --max-tasks 1e9x",
                                  "run -P 8..2",
                                  "run -P 4..",
                                  "run -P 1,,2",
                                  "run --policy ''",
                                  "run --policy +half",
                                  "run --graph ''",
                                  "run --graph fib:n=5,,",
                                  "run --graph fib:n=99999999999999999999",
                                  "run --machine .",
                                  "run --machine /dev/null",
                                  "run --machine /dev/zero",
                                  "report /dev/zero",
                                  "run --graph fib:n=5 -P 2 --gantt /nowhere/g.json",
                                  "validate --graphs ''",
                                  "validate --graphs fib:n=40",
                                  "real --graph fib:n=x",
                                  "bench --graph nothing",
                                  "report /nowhere/t",
                                  "report .",
                                  "report",
                                  "run --nosuch",
                                  "nosuch",
                                  "export /nowhere/t --chrome x",
                                  "study --results .",
                                  "calibrate --out /nowhere/m.json",
                                  "study --results /nowhere/r.tsv --part iiswc2008 --quick"};

}  // namespace

TEST_CASE("a fault is one line and a status") {
  for (char const* arguments : faults) {
    CAPTURE(arguments);
    outcome const o = call(arguments);
    CHECK(o.status == 1);
    CHECK(contains(o.text, "ashlar-sim: "));
    CHECK(std::count(o.text.begin(), o.text.end(), '\n') == 1);
  }
  // The worst cases of a machine file and of a graph, through to the user.
  test::scratch_folder const scratch;
  std::string const file = scratch.file("bad_machine.json");
  write_file(file, "{\n  \"ashlar_machine\": 7\n}\n");
  outcome const machine = call("run --machine " + file);
  CHECK(machine.status == 1);
  CHECK(machine.text.substr(0, 12 + file.size() + 1) == "ashlar-sim: " + file + ":");
  CHECK(call("").text ==
        "ashlar-sim: A subcommand is required; usage: ashlar-sim [OPTIONS] SUBCOMMAND (--help tells more)\n");
  CHECK(call("run --seeds 0").text ==
        "ashlar-sim: --seeds: Value 0 not in range 1 to 1000; usage: ashlar-sim run [OPTIONS] (--help tells more)\n");
  CHECK(call("report").text ==
        "ashlar-sim: trace is required; usage: ashlar-sim report [OPTIONS] trace (--help tells more)\n");
  CHECK(call("repor").text.find("ashlar-sim: there is no command 'repor'; 'report' is near. There are: bench, ") == 0);
  CHECK(call("run --machine epc").text ==
        "ashlar-sim: there is no machine 'epc'; 'epyc' is near. There are: a file, cmp2008, epyc, nehalem2015\n");
  CHECK(call("run --policy randm").text.find("no victim policy 'randm'; 'random' is near. There are: by_size, ") !=
        std::string::npos);
  CHECK(call("--version").status == 0);
  CHECK(call("--version").text.find("ashlar-sim 0.") == 0);
  CHECK(call("run --help").status == 0);
  // Standard output can be full, too.
  CHECK(call("graphs >/dev/full").status == 1);
}

TEST_CASE("a graph is run up to the limits, and refused above") {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // Where memory is short it is known to be; and if it is not, a run that needs more than it says is told so.
  outcome const large = call("run --graph bag:tasks=10000000 -P 2", "ulimit -v 500000; ");
  CHECK(large.status == 1);
  CHECK(contains(large.text,
                 "ashlar-sim: graph bag:tasks=10000000 is too large: about 1280 MB of memory for 1e+07 tasks"));
  outcome const raised = call("run --graph bag:tasks=10000000 -P 2 --max-memory 9999", "ulimit -v 500000; ");
  CHECK(raised.status == 1);
  CHECK(raised.text == "ashlar-sim: out of memory: choose a smaller graph or trace\n");
#endif
  CHECK(call("run --graph bag:tasks=300000 --max-memory 200 -P 1,2 --out csv").status == 0);
  CHECK(call("run --graph fib:n=11 --max-tasks 287 -P 1,2 --out csv").status == 0);
  CHECK(call("run --graph fib:n=11 --max-tasks 286 -P 1,2 --out csv").text ==
        "ashlar-sim: graph fib:n=11 is too large: about 287 tasks, and --max-tasks is 286\n");
}

TEST_CASE("the real scheduler runs every graph, task by task") {
  for (std::string const& graph : small_graphs) {
    CAPTURE(graph);
    auto const p = make_graph(graph);
    analysis const a = analyse(*p);
    for (unsigned const threads : {1u, 3u}) {
      real_result const r = run_real(*p, threads);
      CHECK(r.tasks == a.tasks);
      CHECK(r.spawns == a.spawns);
      CHECK(r.waits == a.waits);
    }
  }
}

TEST_CASE("run draws speed-ups and what the workers did") {
  outcome const svg = call("run --graph fib:n=12 -P 1,2,4 --policy random,distance --seeds 3 --out svg");
  CHECK(svg.status == 0);
  CHECK(svg.text.substr(0, 5) == "<svg ");
  CHECK(contains(svg.text, "xmlns=\"http://www.w3.org/2000/svg\""));
  CHECK(contains(svg.text, "data-name=\"random\""));
  CHECK(contains(svg.text, "data-name=\"distance\""));
  test::scratch_folder const scratch;
  std::string const file = scratch.file("gantt.json");
  CHECK(call("run --graph fib:n=12 -P 1,2 --gantt " + file).status == 1);
  CHECK(!std::filesystem::exists(file));
  CHECK(call("run --graph fib:n=12 -P 3 --gantt " + file).status == 0);
  auto const json = nlohmann::json::parse(read_file(file));
  std::set<int> workers;
  double work = 0;
  for (auto const& e : json.at("traceEvents")) {
    if (e.at("ph") != "X") continue;
    workers.insert(e.at("tid").get<int>());
    if (e.at("cat") != "work") continue;
    CHECK(e.at("name") == "fib");
    work += e.at("dur").get<double>();
  }
  CHECK(workers == std::set<int>{0, 1, 2});
  CHECK(work == doctest::Approx(static_cast<double>(analyse(*make_graph("fib:n=12")).work) / microsecond));
}

TEST_CASE("validate tells errors and what the real runs differ by") {
  outcome const o = call("validate --machine epyc --graphs 'bag:tasks=50;task_ns=100' --repeats 2");
  CHECK(o.status == 0);
  CHECK(contains(o.text, "bag:tasks=50,task_ns=100"));
  CHECK(contains(o.text, "1 thread : error: "));
  CHECK(contains(o.text, "their own repetition"));
}

namespace {

// Small cells on a machine file of the test's own.
struct small_study {
  small_study() {
    write_file(machine, to_json(load_machine("epyc")));
    for (unsigned const workers : {1u, 2u, 3u}) {
      study_cell c;
      c.program = "fib";
      c.graph = "fib:n=10";
      c.machine = machine;
      c.policy = "random";
      c.workers = workers;
      cells.push_back(c);
    }
  }
  test::scratch_folder const scratch;
  std::string const file = scratch.file("study.tsv"), machine = scratch.file("machine.json");
  std::vector<study_cell> cells;
};

}  // namespace

TEST_CASE("a study goes on where it was interrupted") {
  small_study const s;
  stored_results all;
  run_study(s.cells, s.file, all);
  CHECK(all.current.size() == 3);
  std::string const text = read_file(s.file);
  // The last line is cut off: it is read as absent, and its cell alone is simulated again.
  write_file(s.file, text.substr(0, text.size() - 5));
  stored_results rest = read_results(s.file, s.cells);
  CHECK(rest.current.size() == 2);
  CHECK(rest.stale == 0);
  run_study(s.cells, s.file, rest);
  CHECK(rest.current.size() == 3);
  for (auto const& [key, o] : all.current) CHECK(rest.current.at(key).hash == o.hash);
  CHECK(read_file(s.file).size() == text.size());
  write_file(s.file, "not a result\n");
  CHECK_THROWS_WITH_AS(read_results(s.file, s.cells), (s.file + ":1: not a line of results").c_str(), bad_input);
}

TEST_CASE("cells of another machine file, graph or engine are stale: simulated again, never mixed") {
  small_study const s;
  stored_results all;
  run_study(s.cells, s.file, all);
  std::string const foreign = "a cell of another study\t1\t1\t1\t1\t0\t0\t0\t0\t1\t1\t00000000000000aa\t.\n";
  write_file(s.file, foreign + read_file(s.file));
  CHECK(read_results(s.file, s.cells).current.size() == 3);
  // A comment in the machine file changes nothing, a cost does.
  machine_file m = load_machine(s.machine);
  m.source.emplace_back("a remark");
  write_file(s.machine, to_json(m));
  CHECK(read_results(s.file, s.cells).stale == 0);
  m.described.costs.wake_latency += 1;
  write_file(s.machine, to_json(m));
  stored_results changed = read_results(s.file, s.cells);
  CHECK(changed.stale == 3);
  CHECK(changed.current.empty());
  run_study(s.cells, s.file, changed);
  CHECK(changed.current.size() == 3);
  // The file has each cell once, all of the new machine, and still the line that it wasn't asked for.
  std::string const text = read_file(s.file);
  CHECK(std::count(text.begin(), text.end(), '\n') == 4);
  CHECK(contains(text, foreign.c_str()));
  CHECK(read_results(s.file, s.cells).current.size() == 3);
  // What an engine with other results would have written.
  std::string other = text;
  std::size_t const digit = other.rfind("\t.") - 1;
  other[digit] = other[digit] == '0' ? '1' : '0';
  write_file(s.file, other);
  CHECK(read_results(s.file, s.cells).stale == 1);
}

TEST_CASE("fingerprints tell cells apart that differ in more than size") {
  fingerprints f;
  study_cell c = small_study().cells[0];
  c.machine = "epyc";
  std::set<std::uint64_t> seen{f.of(c)};
  for (char const* graph : {"fib:n=11", "fib:n=10,call_ns=9", "utsT1:depth=4"}) {
    c.graph = graph;
    CHECK(seen.insert(f.of(c)).second);
  }
  c.wait = "leapfrog";
  CHECK(seen.insert(f.of(c)).second);
  c.policy = "p2c";
  CHECK(seen.insert(f.of(c)).second);
  c.machine = "cmp2008";
  CHECK(seen.insert(f.of(c)).second);
  CHECK(f.of(c) == fingerprints().of(c));
}

TEST_CASE("study --check simulates nothing and tells what is stale") {
  test::scratch_folder const scratch;
  std::string const file = scratch.file("check.tsv");
  outcome const o = call("study --check --part iiswc2008 --quick --results " + file);
  CHECK(o.status == 1);
  CHECK(contains(o.text, (file + ": 52 of 52 cells are missing or stale (0 are of another").c_str()));
  CHECK(std::count(o.text.begin(), o.text.end(), '\n') == 1);
  CHECK(!std::filesystem::exists(file));
}

TEST_CASE("the plan has the papers' cells") {
  CHECK(plan(study_section::iiswc2008, true).size() == 4 * (1 + 12));
  CHECK(plan(study_section::jsa2015, true).size() == 5 * (1 + 25));
  CHECK(plan(study_section::beyond, false).size() == 6 + 3 * 5 * (6 * 9 + 2 * 3));
  for (study_section const s : {study_section::iiswc2008, study_section::jsa2015, study_section::beyond}) {
    for (study_cell const& c : plan(s, true)) {
      CHECK_NOTHROW(make_graph(c.graph));
      CHECK_NOTHROW(parse_victim(c.policy));
    }
  }
}
