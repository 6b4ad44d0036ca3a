// SPDX-License-Identifier: Apache-2.0
// create_numa_task_arenas: one arena for each NUMA node.
#pragma once

#include <ashlar/sched/api/info.h>
#include <ashlar/sched/api/task_arena.h>

#include <vector>

namespace tbb {
ASHLAR_HOME(7)

/// Arenas that have not been made yet, one for each of info::numa_nodes(), with the other constraints as given.
inline std::vector<task_arena> create_numa_task_arenas(task_arena::constraints other = {},
                                                       unsigned reserved_slots = 0) {
  std::vector<task_arena> arenas;
  std::vector<numa_node_id> const nodes = info::numa_nodes();
  arenas.reserve(nodes.size());
  for (numa_node_id node : nodes) arenas.emplace_back(other.set_numa_id(node), reserved_slots);
  return arenas;
}

ASHLAR_HOME_END
ASHLAR_KNOWN_IN(7, create_numa_task_arenas)

}  // namespace tbb
