// SPDX-License-Identifier: Apache-2.0
#include "study/operations.h"

#include "graphs/catalogue.h"
#include "machine/machine_file.h"
#include "report/progress.h"
#include "study/fingerprint.h"
#include "study/outcome.h"
#include "study/static_schedule.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>

namespace ashlar::sim {

namespace {

constexpr unsigned seeds = 10;
constexpr char const* columns =
    "program\tcores\tseed\tms\twork\tspawn\tget_task\tsteal\tacquire_queue\twait_for_all\tspawn_cycles\tget_task_"
    "cycles\t"
    "steal_cycles\tacquire_queue_cycles\tspawns\tpops\tsteals\tattempts\tstatic_ms\tfingerprint\n";

std::string line_of(study_cell const& c, machine const& m, result const& r) {
  double const all = static_cast<double>(r.makespan) * r.workers;
  double const cycle = static_cast<double>(m.costs.cycle);
  auto const share = [all](picoseconds t) { return static_cast<double>(t) / all; };
  auto const cycles = [cycle](picoseconds t, std::uint64_t n) {
    return n == 0 ? 0.0 : static_cast<double>(t) / static_cast<double>(n) / cycle;
  };
  picoseconds const looking = r[activity::stealing] + r[activity::failing];
  picoseconds const steal = looking - std::min(looking, r.taking), acquiring = r.taking + r.lock_waits;
  picoseconds const known = r[activity::work] + r.spawning + r.popping + steal + acquiring,
                    whole = r.makespan * r.workers;
  picoseconds const rest = whole - std::min(whole, known);
  std::uint64_t const attempts = r.steals + r.failed_steals + r.conflicts;
  return fmt::format(
      "{}\t{}\t{}\t{:.9g}\t{:.6g}\t{:.6g}\t{:.6g}\t{:.6g}\t{:.6g}\t{:.6g}\t{:.6g}\t{:.6g}\t{:.6g}\t{:.6g}\t{}\t{}\t{}"
      "\t{}",
      c.program, c.workers, c.seed, static_cast<double>(r.makespan) / millisecond, share(r[activity::work]),
      share(r.spawning), share(r.popping), share(steal), share(acquiring), share(rest), cycles(r.spawning, r.spawns),
      cycles(r.popping, r.pops), cycles(steal, r.steals), cycles(acquiring, r.steals), r.spawns, r.pops, r.steals,
      attempts);
}

// The end of a line: milliseconds of the same program with its loops dealt beforehand, item by item (0 for the programs
// of the first figure, whose recursions nobody deals), and the cell's fingerprint.
std::string end_of_line(study_cell const& c, fingerprints& now) {
  double dealt = 0;
  if (std::find(static_programs.begin(), static_programs.end(), c.program) != static_programs.end()) {
    std::string graph = c.graph;
    if (std::size_t const at = graph.find("grain="); at != std::string::npos) {
      graph.replace(at, graph.find(',', at) - at, "grain=1");
    }
    machine const m = load_machine(c.machine).described;
    dealt = static_cast<double>(static_makespan(*make_graph(graph), m, c.workers)) / millisecond;
  }
  return fmt::format("\t{:.9g}\t{:016x}", dealt, now.of(c));
}

}  // namespace

std::vector<study_cell> operations_plan() {
  std::vector<study_cell> cells;
  auto const add = [&](std::string const& program) {
    for (unsigned const workers : {4u, 8u, 12u, 16u, 24u, 32u}) {
      study_cell const c = cell_of(study_section::iiswc2008, program, "random", workers);
      for (unsigned seed = 1; seed <= seeds; ++seed) cells.push_back(with_seed(c, seed));
    }
  };
  for (std::string const& program : iiswc_programs) add(program);
  for (std::string const& program : static_programs) add(program);
  return cells;
}

std::string operations_text(std::vector<study_cell> const& cells) {
  std::vector<std::string> lines(cells.size());
  progress_bar bar(cells.size(), "cells", progress_bar::elsewhere::tenths);
  tbb::parallel_for(std::size_t(0), cells.size(), [&](std::size_t i) {
    study_cell const& c = cells[i];
    machine const m = load_machine(c.machine).described;
    lines[i] = line_of(c, m, simulate(*make_graph(c.graph), m, options_of(c, m)));
    bar.step(fmt::format("{} P={}", c.program, c.workers));
  });
  std::string text = columns;
  fingerprints now;
  for (std::size_t i = 0; i < cells.size(); ++i) text += lines[i] + end_of_line(cells[i], now) + "\n";
  return text;
}

bool operations_current(std::string const& text, std::vector<study_cell> const& cells) {
  std::size_t at = text.find('\n') + 1;
  if (text.substr(0, at) != columns) return false;
  fingerprints now;
  for (study_cell const& c : cells) {
    std::size_t const end = std::min(text.find('\n', at), text.size());
    std::string const line = text.substr(at, end - at);
    std::string const head = fmt::format("{}\t{}\t{}\t", c.program, c.workers, c.seed);
    if (!line.starts_with(head) || !line.ends_with(end_of_line(c, now))) return false;
    at = std::min(end + 1, text.size());
  }
  return at == text.size();
}

}  // namespace ashlar::sim
