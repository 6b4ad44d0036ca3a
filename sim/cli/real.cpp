// SPDX-License-Identifier: Apache-2.0
// The commands that run on the real scheduler: real, calibrate, validate.
#include "cli/command.h"
#include "cli/limits.h"
#include "cli/run_options.h"
#include "cli/table.h"
#include "program/analysis.h"
#include "program/record.h"
#include "real/calibrate.h"
#include "real/real_run.h"
#include "real/validation.h"

#include "os/topology.h"

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
      "matmultrec:n=256,bitcounter,blackscholes:loops=2,streamcluster:loops=100,swaptions:swaptions=16;batches=16,"
      "imbalanced,"
      "pipeline:tokens=500,bag:tasks=10000";
  std::string machine;
  std::string out = "-";
  std::string name = "this";
  limit_options limits;
  unsigned threads = 1;
  unsigned repeats = 15;
};

real_result median_run(program const& p, unsigned threads, unsigned repeats) {
  std::vector<real_result> runs;
  for (unsigned i = 0; i < repeats; ++i) runs.push_back(run_real(p, threads));
  std::sort(runs.begin(), runs.end(), [](real_result const& a, real_result const& b) { return a.wall < b.wall; });
  return runs[runs.size() / 2];
}

int run_one(settings const& s) {
  auto const p = s.limits.make(s.graph, s.threads, 1);
  analysis const a = analyse(*p);
  real_result const r = median_run(*p, s.threads, s.repeats);
  fmt::print("{}: {} threads, {} tasks, {} spawns, {} waits, {:.4f} ms (work {:.4f} ms), {:.2f} processors used\n",
             s.graph, s.threads, r.tasks, r.spawns, r.waits, in_ms(r.wall), in_ms(a.work),
             static_cast<double>(r.cpu) / static_cast<double>(std::max<picoseconds>(1, r.wall)));
  if (r.tasks == a.tasks && r.spawns == a.spawns && r.waits == a.waits) return 0;
  throw bad_input(fmt::format("{}: {} tasks were expected, {} ran", s.graph, a.tasks, r.tasks));
}

int run_calibrate(settings const& s) {
  print_or_write(to_json(calibrate(s.name)), s.out == "-" ? "" : s.out);
  return 0;
}

void summarize(std::string const& what, std::vector<double> errors) {
  if (errors.empty()) {
    fmt::print("{}: nothing measured\n", what);
    return;
  }
  for (double& e : errors) e = std::fabs(e);
  std::sort(errors.begin(), errors.end());
  fmt::print("{}: {} graphs, median {:.2f} %, worst {:.2f} %\n", what, errors.size(), 100 * errors[errors.size() / 2],
             100 * errors.back());
}

int run_validate(settings const& s) {
  if (split(s.graphs).empty()) throw bad_input("no graph is named");
  machine const m = s.machine.empty() ? calibrate("this").described : load_machine(s.machine).described;
  table rows({"graph", "tasks", "T1 ms", "predicted", "error%", "repeat%", "CPUs", "T2 ms", "predicted", "error%",
              "repeat%", "CPUs", "line ns", "dropped"});
  std::vector<double> errors[2], repeats[2];
  unsigned const most_threads = std::min(2u, os::available_cpus());
  for (std::string specification : split(s.graphs)) {
    std::replace(specification.begin(), specification.end(), ';', ',');
    recorded_program const p = record(*s.limits.make(specification, 2, 1));
    std::vector<std::string> row{specification, std::to_string(p.size())};
    int dropped = 0;
    picoseconds line = 0;
    for (unsigned threads = 1; threads <= most_threads; ++threads) {
      validation const v = validate(p, m, threads, static_cast<int>(s.repeats), threads == 2 ? 1.8 : 0.95);
      dropped += v.dropped;
      line = v.line;
      if (v.rounds == 0) {
        row.insert(row.end(), 4, "-");
        row.push_back(fmt::format("{:.3f}", v.processors));
        continue;
      }
      for (double const number : {in_ms(v.real), in_ms(v.predicted)}) row.push_back(fmt::format("{:.4f}", number));
      for (double const part : {v.error, v.repeatability}) row.push_back(fmt::format("{:.2f}", 100 * part));
      row.push_back(fmt::format("{:.3f}", v.processors));
      errors[threads - 1].push_back(v.error);
      repeats[threads - 1].push_back(v.repeatability);
    }
    row.resize(12, "-");
    row.push_back(line == 0 ? "-" : std::to_string(line / nanosecond));
    row.push_back(std::to_string(dropped));
    rows.add(row);
  }
  fmt::print("{}", rows.print("table"));
  for (unsigned threads = 1; threads <= most_threads; ++threads) {
    summarize(fmt::format("{} thread{}: error", threads, threads == 1 ? " " : "s"), errors[threads - 1]);
    summarize("           the real runs against their own repetition", repeats[threads - 1]);
  }
  return 0;
}

command const real_command("real", "Runs a graph on the real scheduler and checks its counts",
                           [](arguments& a) -> command_body {
                             auto const s = std::make_shared<settings>();
                             a.text("--graph", s->graph, "NAME or NAME:PARAMETER=NUMBER,…");
                             a.number("--threads", s->threads, 1, 1024, "threads");
                             a.number("--repeats", s->repeats, 1, 100000, "runs; the median is told");
                             s->limits.add_to(a);
                             return [s] { return run_one(*s); };
                           });

command const calibrate_command("calibrate", "Measures this machine and writes its machine file",
                                [](arguments& a) -> command_body {
                                  auto const s = std::make_shared<settings>();
                                  a.text("--out", s->out, "the file; - for standard output");
                                  a.text("--name", s->name, "the machine's name");
                                  return [s] { return run_calibrate(*s); };
                                });

command const validate_command("validate", "Compares predicted and measured times", [](arguments& a) -> command_body {
  auto const s = std::make_shared<settings>();
  a.text("--graphs", s->graphs, "graphs, comma-separated, their parameters by semicolons");
  a.text("--machine", s->machine, "a machine file; this machine is calibrated if it isn't given");
  a.number("--repeats", s->repeats, 2, 100000, "runs of each");
  s->limits.add_to(a);
  return [s] { return run_validate(*s); };
});

}  // namespace

}  // namespace ashlar::sim
