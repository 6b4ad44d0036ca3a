// SPDX-License-Identifier: Apache-2.0
// A graph as a program of explicit tasks: asking for a step is then a look into an array, whatever the graph computes
// to find it (the unbalanced trees a digest, the queens a search).
#pragma once

#include "program/recorded_program.h"

namespace ashlar::sim {

// Unfolds the program in the order in which one worker with a deque runs it, so that such a run goes through memory
// in sequence. O(steps) time and memory. Throws bad_input if it has more tasks.
recorded_program record(program const& p, std::uint64_t most_tasks = 5'000'000);

}  // namespace ashlar::sim
