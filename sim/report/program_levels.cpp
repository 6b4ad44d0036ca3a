// SPDX-License-Identifier: Apache-2.0
#include "report/program_levels.h"

#include "trace/folding.h"

#include <algorithm>
#include <utility>

namespace ashlar::sim {

namespace {

constexpr std::uint64_t most_steps = 6'000'000;  // of one simulation: about a third of a second
constexpr std::size_t least_tasks = 200;         // of a coarser program
constexpr picoseconds coarser = 4;

}  // namespace

program_levels::program_levels(task_graph g, part_costs const& costs) : graph_(std::move(g)), costs_(costs) {}

program_levels::level const& program_levels::at(std::size_t n) {
  std::lock_guard const guard(lock_);
  if (n < levels_.size()) return *levels_[n];
  if (n != 0) {
    std::size_t const before = graph_.tasks.size();
    graph_.largest_part = std::max(graph_.largest_part, microsecond);
    do {
      graph_.largest_part *= coarser;
      fold_request how;
      how.most_work = graph_.largest_part;
      fold(graph_, how);
    } while (graph_.tasks.size() > least_tasks && graph_.tasks.size() * coarser > before);
  }
  picoseconds cost = 0;
  for (folded_part const& p : graph_.folded) cost += p.tasks * costs_.task;
  levels_.push_back(std::make_unique<level const>(
      level{to_program(graph_, costs_), graph_.largest_part, cost, graph_.tasks.size() <= least_tasks}));
  return *levels_.back();
}

std::size_t program_levels::level_of(picoseconds part) {
  std::size_t n = 0;
  for (level const* l = &at(0); l->part < part && !l->last; l = &at(n)) ++n;
  return n;
}

program_levels::outcome program_levels::simulate(machine const& on, options how, std::size_t from) {
  for (std::size_t n = from;; ++n) {
    level const& l = at(n);
    how.max_steps = l.last ? ~std::uint64_t{0} : most_steps;
    try {
      outcome made{sim::simulate(l.program, on, how), n};
      auto& times = made.simulated.times;
      picoseconds& work = times[static_cast<std::size_t>(activity::work)];
      picoseconds const cost = std::min(work, l.cost);
      work -= cost;
      times[static_cast<std::size_t>(activity::scheduling)] += cost;
      return made;
    } catch (too_many_steps const&) {
    }
  }
}

}  // namespace ashlar::sim
