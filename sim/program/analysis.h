// SPDX-License-Identifier: Apache-2.0
// What a program is, whoever runs it: its work, its span, its tasks.
#pragma once

#include "program/program.h"

namespace ashlar::sim {

struct analysis {
  std::uint64_t tasks = 0;
  std::uint64_t spawns = 0;
  std::uint64_t waits = 0;  // of both kinds
  std::uint64_t work_steps = 0;
  picoseconds work = 0;
  picoseconds span = 0;           // the longest path, without any cost of scheduling
  picoseconds burdened_span = 0;  // the same if each spawn costs its child `burden`
  std::uint64_t most_open = 0;    // tasks that are open at once in the serial order, the depth of a serial run
};

// Unfolds the program once, in the serial order (each child where it is spawned): O(steps) time, O(depth) memory.
analysis analyse(program const& p, picoseconds burden = 0);

}  // namespace ashlar::sim
