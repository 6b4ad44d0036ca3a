// SPDX-License-Identifier: Apache-2.0
// The same programs on the real scheduler: each task is a task of a tbb::task_group, work is a loop that spins for its
// duration.
#pragma once

#include "program/program.h"

namespace ashlar::sim {

struct real_result {
  picoseconds wall = 0;
  picoseconds cpu = 0;  // of the whole process
  std::uint64_t tasks = 0, spawns = 0, waits = 0;
};

// Runs the program with that many threads, in an arena of its own, within the process's limit on workers: `times` times
// in a row, and all of the result is of all of them.
real_result run_real(program const& p, unsigned threads, unsigned times = 1);

// The time that it takes to ask the program for all its steps, without scheduler or work: a real run pays that, too,
// the simulated machine doesn't. The fastest of five.
picoseconds unfolding_time(program const& p);

// Spins for a time. The length of a turn is measured once per process, on the first call (20 ms).
void spin_for(picoseconds time) noexcept;
// The time of one turn, as measured, in femtoseconds.
std::uint64_t spin_turn() noexcept;
// How long a turn takes now, against that.
double spin_pace() noexcept;

}  // namespace ashlar::sim
