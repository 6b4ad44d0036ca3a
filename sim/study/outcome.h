// SPDX-License-Identifier: Apache-2.0
// What is kept of a simulated cell's result.
#pragma once

#include "engine/simulate.h"
#include "study/plan.h"

#include <cstdint>
#include <string>

namespace ashlar::sim {

struct study_outcome {
  double milliseconds = 0;
  double joules = 0;
  double scheduling = 0;  // scheduling, stealing and failing time over the time of the work
  std::uint64_t steals = 0, failed = 0, conflicts = 0, buried = 0, events = 0, hash = 0;
  double parked = 0;  // share of all workers' time
};

options options_of(study_cell const& c, machine const& m);
study_outcome run_cell(study_cell const& c);
// As the file has it, without a line end: the same text for the same outcome.
std::string text_of(study_outcome const& o);

}  // namespace ashlar::sim
