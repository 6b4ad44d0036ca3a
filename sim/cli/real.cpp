// SPDX-License-Identifier: Apache-2.0
// The commands that run on the real scheduler: real, calibrate, validate.
#include "cli/command.h"
#include "cli/run_options.h"
#include "cli/table.h"
#include "program/analysis.h"
#include "program/bad_input.h"
#include "real/calibrate.h"
#include "real/real_run.h"

#include "os/topology.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace ashlar::sim {

namespace {

double in_ms(picoseconds t) { return static_cast<double>(t) / millisecond; }

struct settings {
  std::string graph = "fib";
  std::string graphs =
      "fib:n=22;call_ns=20,fibcut:n=28,nqueens:n=11,utsT1:depth=6,utsT3:roots=500,treeadd:depth=18,lu:n=200,"
      "matmultrec:n=256,bitcounter,blackscholes:loops=2,streamcluster:loops=100,swaptions:swaptions=16;blocks=40,imbalanced,"
      "pipeline:tokens=500,bag:tasks=10000";
  std::string machine;
  std::string out = "-";
  std::string name = "this";
  unsigned threads = 1;
  int repeats = 15;
};

// The median run by wall time among those that had enough processor time; none if all lacked it.
struct measured {
  std::vector<real_result> runs;
  int dropped = 0;
  picoseconds median() const { return runs.empty() ? 0 : runs[runs.size() / 2].wall; }
};

measured measure(program const& p, unsigned threads, int repeats, double least_cpus) {
  measured m;
  run_real(p, threads);
  for (int i = 0; i < repeats; ++i) {
    real_result const r = run_real(p, threads);
    if (static_cast<double>(r.cpu) < least_cpus * static_cast<double>(r.wall)) {
      ++m.dropped;
    } else {
      m.runs.push_back(r);
    }
  }
  std::sort(m.runs.begin(), m.runs.end(), [](real_result const& a, real_result const& b) { return a.wall < b.wall; });
  return m;
}

int run_one(settings const& s) {
  auto const p = make_graph(s.graph);
  analysis const a = analyse(*p);
  measured const m = measure(*p, s.threads, s.repeats, 0);
  real_result const& r = m.runs[m.runs.size() / 2];
  fmt::print("{}: {} threads, {} tasks, {} spawns, {} waits, {:.4f} ms (work {:.4f} ms), {:.2f} processors used\n", s.graph,
             s.threads, r.tasks, r.spawns, r.waits, in_ms(r.wall), in_ms(a.work),
             static_cast<double>(r.cpu) / static_cast<double>(std::max<picoseconds>(1, r.wall)));
  if (r.tasks == a.tasks && r.spawns == a.spawns && r.waits == a.waits) return 0;
  throw bad_input(fmt::format("{}: {} tasks were expected, {} ran", s.graph, a.tasks, r.tasks));
}

int run_calibrate(settings const& s) {
  std::string const text = to_json(calibrate(s.name));
  if (s.out == "-") {
    fmt::print("{}", text);
  } else {
    write_file(s.out, text);
  }
  return 0;
}

void summarize(char const* what, std::vector<double> errors) {
  if (errors.empty()) {
    fmt::print("{}: nothing measured\n", what);
    return;
  }
  for (double& e : errors) e = std::fabs(e);
  std::sort(errors.begin(), errors.end());
  fmt::print("{}: {} graphs, median error {:.2f} %, worst {:.2f} %\n", what, errors.size(), errors[errors.size() / 2], errors.back());
}

int run_validate(settings const& s) {
  machine const m = s.machine.empty() ? calibrate("this").described : load_machine(s.machine).described;
  table rows({"graph", "tasks", "T1 ms", "predicted", "error%", "T2 ms", "predicted", "error%", "dropped"});
  std::vector<double> errors[2];
  bool const two = os::available_cpus() >= 2;
  for (std::string specification : split(s.graphs)) {
    std::replace(specification.begin(), specification.end(), ';', ',');
    auto const p = make_graph(specification);
    std::vector<std::string> row{specification};
    int dropped = 0;
    picoseconds const asking = unfolding_time(*p);
    for (unsigned threads = 1; threads <= (two ? 2u : 1u); ++threads) {
      options o;
      o.workers = threads;
      result const simulated = simulate(*p, m, o);
      // The description's own computation is work of the real run that the simulated one doesn't have.
      double const predicted = in_ms(simulated.makespan + asking / threads);
      if (threads == 1) row.push_back(std::to_string(simulated.tasks));
      measured const real = measure(*p, threads, s.repeats, threads == 2 ? 1.8 : 0.95);
      dropped += real.dropped;
      double const error = 100 * (predicted / in_ms(real.median()) - 1);
      row.push_back(real.runs.empty() ? "-" : fmt::format("{:.4f}", in_ms(real.median())));
      row.push_back(fmt::format("{:.4f}", predicted));
      row.push_back(real.runs.empty() ? "-" : fmt::format("{:.2f}", error));
      if (!real.runs.empty()) errors[threads - 1].push_back(error);
    }
    row.resize(8, "-");
    row.push_back(std::to_string(dropped));
    rows.add(row);
  }
  fmt::print("{}", rows.print("table"));
  summarize("1 thread ", errors[0]);
  summarize("2 threads", errors[1]);
  return 0;
}

command const real_command("real", "Runs a graph on the real scheduler and checks its counts", [](CLI::App& app) -> command_body {
  auto const s = std::make_shared<settings>();
  app.add_option("--graph", s->graph, "NAME or NAME:PARAMETER=NUMBER,…");
  app.add_option("--threads", s->threads, "threads")->check(CLI::Range(1, 1024))->capture_default_str();
  app.add_option("--repeats", s->repeats, "runs; the median is told")->check(CLI::Range(1, 100000))->capture_default_str();
  return [s] { return run_one(*s); };
});

command const calibrate_command("calibrate", "Measures this machine and writes its machine file", [](CLI::App& app) -> command_body {
  auto const s = std::make_shared<settings>();
  app.add_option("--out", s->out, "the file; - for standard output")->capture_default_str();
  app.add_option("--name", s->name, "the machine's name")->capture_default_str();
  return [s] { return run_calibrate(*s); };
});

command const validate_command("validate", "Compares predicted and measured times", [](CLI::App& app) -> command_body {
  auto const s = std::make_shared<settings>();
  app.add_option("--graphs", s->graphs, "graphs, comma-separated, their parameters by semicolons")->capture_default_str();
  app.add_option("--machine", s->machine, "a machine file; this machine is calibrated if it isn't given");
  app.add_option("--repeats", s->repeats, "runs of each")->check(CLI::Range(1, 100000))->capture_default_str();
  return [s] { return run_validate(*s); };
});

}  // namespace

}  // namespace ashlar::sim
