// SPDX-License-Identifier: Apache-2.0
// The scenarios of every family.
#pragma once

#include "algorithms.h"
#include "arenas.h"
#include "loops.h"
#include "tasks.h"

namespace threads {

inline scenarios all_scenarios() {
  scenarios all;
  for (auto const& family : {loop_scenarios(), algorithm_scenarios(), task_scenarios(), arena_scenarios()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

}  // namespace threads
