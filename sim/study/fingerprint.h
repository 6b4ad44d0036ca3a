// SPDX-License-Identifier: Apache-2.0
// What a cell's result depends on beside its key, as a number that changes with it: the machine file's values, the
// graph's parameters and steps, and what the engine makes of that machine, policy, wait and idle rule.
#pragma once

#include "study/plan.h"

#include <cstdint>
#include <map>
#include <string>

namespace ashlar::sim {

// The parts that cells share are found once. One thread.
class fingerprints {
 public:
  std::uint64_t of(study_cell const& c);

 private:
  std::map<std::string, std::uint64_t> known_;  // of a machine, a graph, or how it is run
};

}  // namespace ashlar::sim
