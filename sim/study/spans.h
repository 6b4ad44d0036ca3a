// SPDX-License-Identifier: Apache-2.0
// Work and span of the study's graphs: with them ./dev paper tells the bound T1 / P + T_inf beside a simulated time.
#pragma once

#include "study/plan.h"

#include <string>
#include <vector>

namespace ashlar::sim {

// A line for each graph of these cells, with its work and its span in milliseconds.
std::string spans_text(std::vector<study_cell> const& cells);

}  // namespace ashlar::sim
