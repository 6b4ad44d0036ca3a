// SPDX-License-Identifier: Apache-2.0
// A simulated run as JSON for chrome://tracing and ui.perfetto.dev: one lane per worker, a slice for what it did
// without a break.
#pragma once

#include "engine/simulate.h"

#include <string>

namespace ashlar::sim {

std::string gantt_json(program const& p, std::string const& title, std::vector<stretch> const& timeline);

}  // namespace ashlar::sim
