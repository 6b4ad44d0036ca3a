// SPDX-License-Identifier: Apache-2.0
// Measures this machine and our scheduler on it: a machine file for `run` and for predictions. Takes about two seconds;
// other work on the machine spoils it. None of its programs is one of the graphs.
#pragma once

#include "machine/machine_file.h"

namespace ashlar::sim {

machine_file calibrate(std::string const& name);

// What the real scheduler's tasks cost on one thread at this moment, the steps of a recorded program included.
struct task_costs {
  picoseconds task = 0;  // a child that does nothing: spawn, pop, end
  picoseconds wait = 0;  // a group and a wait
  picoseconds step = 0;  // a step of work, beside the work
  // With more than one thread:
  picoseconds line = 0;   // moving a line
  picoseconds theft = 0;  // from one theft to the next
  picoseconds away = 0;   // what a task costs more in another thread's group
  // How long the spinning work takes, against the measurement that spin_for goes by: in the undisturbed moments in
  // which the above is measured, and on average over time and threads.
  double peak = 1, pace = 1;
};

// Takes about 20 ms. Meanwhile `threads` - 1 other threads compute, as in a run with so many. `typical_work`: of a
// step.
task_costs measure_task_costs(unsigned threads, picoseconds typical_work);

void set_task_costs(machine& m, task_costs const& c);

}  // namespace ashlar::sim
