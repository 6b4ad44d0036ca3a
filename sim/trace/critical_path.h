// SPDX-License-Identifier: Apache-2.0
// Work and span of a recorded run, and who is on the longest path.
#pragma once

#include "trace/task_graph.h"

namespace ashlar::sim {

// What lies on the longest path without a break.
struct path_step {
  std::uint32_t region = 0;
  picoseconds begin = 0, time = 0;  // on the path
};

struct path_analysis {
  picoseconds work = 0;
  picoseconds span = 0;
  std::vector<picoseconds> work_by_region;
  std::vector<picoseconds> path_by_region;  // sums to the span, without burden
  std::vector<path_step> steps;             // the same in order; short ones are left out where there are very many
};

// `burden` is added to each spawn, before the child begins. O(items) time and memory.
path_analysis analyse_path(task_graph const& g, picoseconds burden = 0);

}  // namespace ashlar::sim
