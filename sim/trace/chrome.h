// SPDX-License-Identifier: Apache-2.0
// A trace as JSON for chrome://tracing and ui.perfetto.dev: one lane per thread, a slice per task, an arrow per theft.
#pragma once

#include "trace/task_graph.h"

#include <string>

namespace ashlar::sim {

std::string to_chrome_json(trace const& t, task_graph const& g);

}  // namespace ashlar::sim
