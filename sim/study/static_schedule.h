// SPDX-License-Identifier: Apache-2.0
// What a program takes whose parallel loops are dealt to its threads beforehand, as with pthreads: each thread has an
// equal number of the loop's pieces, one after the other, and all meet at a barrier behind each loop. Nobody steals, so
// that uneven pieces stay where they are.
#pragma once

#include "machine/machine.h"
#include "program/program.h"

namespace ashlar::sim {

// The outer loops only: a task that waits for its children is one piece with all that it waits for.
picoseconds static_makespan(program const& p, machine const& m, unsigned threads);

// All threads arrive at once and change the barrier's line in turn; then each reads it again.
picoseconds barrier(machine const& m, unsigned threads);

}  // namespace ashlar::sim
