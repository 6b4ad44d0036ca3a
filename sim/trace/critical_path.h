// SPDX-License-Identifier: Apache-2.0
// Work and span of a recorded run, and who is on the longest path.
#pragma once

#include "trace/task_graph.h"

namespace ashlar::sim {

struct path_analysis {
  picoseconds work = 0;
  picoseconds span = 0;
  std::vector<picoseconds> work_by_region;
  std::vector<picoseconds> path_by_region;  // sums to the span, without burden
};

// `burden` is added to each spawn, before the child begins. O(items) time and memory.
path_analysis analyse_path(task_graph const& g, picoseconds burden = 0);

}  // namespace ashlar::sim
