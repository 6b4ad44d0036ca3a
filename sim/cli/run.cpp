// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/run_options.h"
#include "cli/table.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace ashlar::sim {

namespace {

struct settings {
  run_options common;
  std::string graph = "fib";
  std::string format = "table";
};

double share(result const& r, activity a) {
  return 100.0 * static_cast<double>(r[a]) / (static_cast<double>(r.makespan) * r.workers);
}

std::vector<std::string> row_of(result const& r, cell const& c, machine const& m, picoseconds one) {
  auto const percent = [&](activity a) { return fmt::format("{:.2f}", share(r, a)); };
  double const speedup = r.makespan == 0 ? 1 : static_cast<double>(one) / static_cast<double>(r.makespan);
  std::vector<std::string> row{std::to_string(c.how.workers), c.policy, std::to_string(c.how.seed),
                               fmt::format("{:.6f}", static_cast<double>(r.makespan) / millisecond),
                               fmt::format("{:.3f}", speedup)};
  for (activity a : {activity::work, activity::scheduling, activity::stealing, activity::failing, activity::pausing,
                     activity::parked}) {
    row.push_back(percent(a));
  }
  for (std::uint64_t n : {r.steals, r.failed_steals, r.conflicts, r.buried_waits, r.events}) {
    row.push_back(std::to_string(n));
  }
  row.push_back(fmt::format("{:.6f}", r.energy(m)));
  row.push_back(fmt::format("{:016x}", r.hash));
  return row;
}

int run_graph(settings const& s) {
  auto const p = make_graph(s.graph);
  machine const m = load_machine(s.common.machine).described;
  auto const cells = s.common.cells();
  options serial = cells.front().how;
  serial.workers = 1;
  picoseconds const one = simulate(*p, m, serial).makespan;
  table rows({"P", "policy", "seed", "ms", "speedup", "work%", "sched%", "steal%", "fail%", "pause%", "parked%", "steals",
              "failed", "conflicts", "buried", "events", "joules", "hash"});
  for (cell const& c : cells) rows.add(row_of(simulate(*p, m, c.how), c, m, one));
  fmt::print("{}", rows.print(s.format));
  return 0;
}

command const run_command("run", "Simulates a graph on a machine", [](CLI::App& app) -> command_body {
  auto const s = std::make_shared<settings>();
  app.add_option("--graph", s->graph, "NAME or NAME:PARAMETER=NUMBER,… (ashlar-sim graphs lists them)");
  app.add_option("--out", s->format, "table, csv or json")->check(CLI::IsMember({"table", "csv", "json"}));
  s->common.add_to(app);
  return [s] { return run_graph(*s); };
});

}  // namespace

}  // namespace ashlar::sim
