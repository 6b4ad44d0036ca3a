// SPDX-License-Identifier: Apache-2.0
// Keeping a graph small: parts of it that are over are kept in sum only, with their work, their span and their regions.
// A part is what a task and all its descendants did, some siblings side by side, or a stretch of a task that ends with
// all its children joined. So what a part hides is at most its own work, of which no more than its span lies on any
// path.
#pragma once

#include "trace/task_graph.h"

#include <vector>

namespace ashlar::sim {

struct fold_request {
  picoseconds most_work = ~picoseconds(0);  // a part has at most so much
  std::uint64_t most_tasks = ~std::uint64_t{0};
  bool serial = false;     // a part becomes one task's work, for larger grains
  bool stretches = true;   // fold stretches of tasks, too
  std::vector<bool> open;  // by task: it, or where it was spawned, may still change; may be shorter than `tasks`
};

// Where tasks and items are after it; none: gone into a part.
struct fold_result {
  std::vector<std::uint32_t> tasks, items;
};

// O(tasks + items).
fold_result fold(task_graph& g, fold_request const& how);

}  // namespace ashlar::sim
