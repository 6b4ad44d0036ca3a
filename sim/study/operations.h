// SPDX-License-Identifier: Apache-2.0
// The first paper's main figure: what the library's five operations cost, and which share of the cores' time they take,
// on 4 to 32 simulated cores with random stealing.
//
// spawn: making a task and pushing it. get_task: taking an own one. acquire_queue: at a deque with a task, from the
// lock on, and waiting for the lock. steal: the rest of looking for work. wait_for_all: all else that is not work: the
// scopes of waits and the pauses between looks.
//
// Beside it the paper's comparison of tasks with static scheduling: its three programs, and what each takes with its
// loops dealt to the threads beforehand (study/static_schedule.h).
#pragma once

#include "study/plan.h"

#include <string>
#include <vector>

namespace ashlar::sim {

// The runs of both figures: ten of each program and number of cores.
std::vector<study_cell> operations_plan();

// Simulates them side by side on our own scheduler. The text of the file: a line that names the columns, and a line per
// run with the static schedule's time and its cell's fingerprint (study/fingerprint.h) at the end.
std::string operations_text(std::vector<study_cell> const& cells);

// Whether the text has exactly these cells, of this engine, machine file and graphs. Simulates nothing.
bool operations_current(std::string const& text, std::vector<study_cell> const& cells);

}  // namespace ashlar::sim
