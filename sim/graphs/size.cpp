// SPDX-License-Identifier: Apache-2.0
#include "graphs/size.h"

#include "engine/simulate.h"
#include "graphs/catalogue.h"
#include "program/bad_input.h"

#include <fmt/format.h>

#include <cmath>

namespace ashlar::sim {

namespace {

// Of the engine without tasks: the workers, and what each has seen of each other one's deque.
double memory_of(double workers) { return workers * workers * sizeof(std::uint32_t) + workers * 1000; }

}  // namespace

void require_size(std::string_view specification, size_limits const& limits, unsigned workers, unsigned at_once) {
  graph_size const size = size_of_graph(specification);
  auto const refuse = [&](std::string const& what) {
    throw bad_input(fmt::format("graph {} is too large: {}", specification, what));
  };
  if (std::isinf(size.tasks)) refuse("its tree need not end (a node has a child or more on average)");
  if (size.tasks > limits.tasks) {
    refuse(fmt::format("about {:.3g} tasks, and --max-tasks is {:.3g}", size.tasks, limits.tasks));
  }
  if (size.items > limits.tasks * size_limits::items_per_task) {
    refuse(fmt::format("its tasks' work follows from about {:.3g} items, and --max-tasks {:.3g} allows {:.3g}",
                       size.items, limits.tasks, limits.tasks * size_limits::items_per_task));
  }
  // One worker may have to do it all: the speed-up is over that run.
  if (size.work >= static_cast<double>(longest_run)) {
    refuse(fmt::format("about {:.3g} s of work, and a run may last {:.0f} s", size.work * 1e-12,
                       static_cast<double>(longest_run) * 1e-12));
  }
  double const open = std::min(size.tasks, size.open + (workers - 1.0) * size.open_each);
  double const memory = at_once * (open * size_limits::bytes_per_task + memory_of(workers));
  if (memory > limits.memory) {
    refuse(fmt::format(
        "about {:.0f} MB of memory for {:.3g} tasks that are open at once{}, and --max-memory is {:.0f} MB",
        memory * 1e-6, open, at_once > 1 ? fmt::format(" in each of {} runs", at_once) : "", limits.memory * 1e-6));
  }
}

}  // namespace ashlar::sim
