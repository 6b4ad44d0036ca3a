// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/run_options.h"
#include "cli/table.h"
#include "program/analysis.h"
#include "report/gantt.h"
#include "report/plot.h"
#include "report/progress.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <map>
#include <memory>

namespace ashlar::sim {

namespace {

struct settings {
  run_options common;
  std::string graph = "fib";
  std::string format = "table";
  std::string gantt;
};

double share(result const& r, activity a) {
  return 100.0 * static_cast<double>(r[a]) / (static_cast<double>(r.makespan) * r.workers);
}

std::vector<std::string> row_of(result const& r, cell const& c, machine const& m, double speedup, double bound) {
  auto const percent = [&](activity a) { return fmt::format("{:.2f}", share(r, a)); };
  std::vector<std::string> row{
      std::to_string(c.how.workers),  c.policy,
      std::to_string(c.how.seed),     fmt::format("{:.6f}", static_cast<double>(r.makespan) / millisecond),
      fmt::format("{:.3f}", speedup), fmt::format("{:.6f}", bound)};
  for (activity a : {activity::work, activity::scheduling, activity::stealing, activity::failing, activity::pausing,
                     activity::parked}) {
    row.push_back(percent(a));
  }
  for (std::uint64_t n : {r.steals, r.failed_steals, r.conflicts, r.buried_waits, r.events}) {
    row.push_back(std::to_string(n));
  }
  row.push_back(fmt::format("{:.6f}", r.energy(m)));
  row.push_back(fmt::format("{:#018x}", r.hash));
  return row;
}

// Side by side on our own scheduler.
std::vector<result> simulate_all(program const& p, machine const& m, std::vector<cell> const& cells) {
  std::vector<result> results(cells.size());
  progress_bar bar(cells.size(), "cells");
  tbb::parallel_for(std::size_t(0), cells.size(), [&](std::size_t i) {
    results[i] = simulate(p, m, cells[i].how);
    bar.step(fmt::format("{} P={}", cells[i].policy, cells[i].how.workers));
  });
  return results;
}

// A line per policy through the medians of the seeds.
std::string curves(std::vector<cell> const& cells, std::vector<double> const& speedups) {
  std::map<std::string, std::map<unsigned, std::vector<double>>> all;
  for (std::size_t i = 0; i < cells.size(); ++i) all[cells[i].policy][cells[i].how.workers].push_back(speedups[i]);
  std::vector<plot_line> lines;
  for (auto& [policy, points] : all) {
    plot_line l{policy, policy, static_cast<unsigned>(lines.size()), false, {}};
    for (auto& [workers, values] : points) {
      std::sort(values.begin(), values.end());
      l.points.emplace_back(workers, values[values.size() / 2]);
    }
    lines.push_back(std::move(l));
  }
  return speedup_plot(lines, true) + "\n";
}

void draw_gantt(settings const& s, program const& p, machine const& m, std::vector<cell> const& cells) {
  if (cells.size() != 1) throw bad_input("--gantt draws one run: name one number of workers, one policy and one seed");
  std::vector<stretch> timeline;
  options how = cells.front().how;
  how.timeline = &timeline;
  simulate(p, m, how);
  write_file(s.gantt,
             gantt_json(p, fmt::format("{} on {}, {} workers, {}", s.graph, m.name, how.workers, cells.front().policy),
                        timeline));
}

int run_graph(settings const& s) {
  auto const cells = s.common.cells();
  auto const p = s.common.make(s.graph, cells);
  machine const m = load_machine(s.common.machine).described;
  if (!s.gantt.empty()) draw_gantt(s, *p, m, cells);
  options serial = cells.front().how;
  serial.workers = 1;
  picoseconds const one = simulate(*p, m, serial).makespan;
  table rows({"P", "policy", "seed", "ms", "speedup", "bound", "work%", "sched%", "steal%", "fail%", "pause%",
              "parked%", "steals", "failed", "conflicts", "buried", "events", "joules", "hash"});
  std::vector<double> speedups;
  auto const results = simulate_all(*p, m, cells);
  picoseconds const span = analyse(*p).span;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    picoseconds const time = results[i].makespan;
    speedups.push_back(time == 0 ? 1 : static_cast<double>(one) / static_cast<double>(time));
    // T1 / P + T_inf: no greedy schedule takes longer, if scheduling takes no time.
    double const bound = static_cast<double>(one) / cells[i].how.workers + static_cast<double>(span);
    rows.add(row_of(results[i], cells[i], m, speedups.back(), bound / millisecond));
  }
  fmt::print("{}", s.format == "svg" ? curves(cells, speedups) : rows.print(s.format));
  return 0;
}

command const run_command("run", "Simulates a graph on a machine", [](arguments& a) -> command_body {
  auto const s = std::make_shared<settings>();
  a.text("--graph", s->graph, "NAME or NAME:PARAMETER=NUMBER,… (ashlar-sim graphs lists them)");
  a.choice("--out", s->format, {"table", "csv", "json", "svg"}, "table, csv, json, or svg: the speed-up's curves");
  a.text("--gantt", s->gantt, "a file for what each worker did, as JSON for ui.perfetto.dev");
  s->common.add_to(a);
  return [s] { return run_graph(*s); };
});

}  // namespace

}  // namespace ashlar::sim
