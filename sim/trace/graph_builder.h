// SPDX-License-Identifier: Apache-2.0
// From the events of a trace to its tasks.
#pragma once

#include "trace/run_watcher.h"
#include "trace/task_graph.h"

namespace ashlar::sim {

// Throws bad_input, with the place, for events that can't follow each other.
task_graph build_graph(trace const& t, graph_settings const& how = {});

}  // namespace ashlar::sim
