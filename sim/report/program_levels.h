// SPDX-License-Identifier: Apache-2.0
// A recorded run as programs for the simulator, finer ones and coarser ones: a simulation that would take too long is
// done with a coarser one, whose smallest parts are folded (trace/folding.h).
#pragma once

#include "engine/simulate.h"
#include "trace/task_graph.h"

#include <memory>
#include <mutex>
#include <vector>

namespace ashlar::sim {

class program_levels {
 public:
  program_levels(task_graph g, part_costs const& costs);

  struct outcome {
    result simulated;
    std::size_t level;  // 0 is the finest
  };
  // On that level or, if it takes too long there, the next that it doesn't. Any thread.
  outcome simulate(machine const& on, options how, std::size_t level = 0);
  // What is smaller may be folded on that level; 0: each task is simulated.
  picoseconds part(std::size_t level) { return at(level).part; }
  // The finest level on which what is smaller than `part` may be folded, or the coarsest one.
  std::size_t level_of(picoseconds part);

 private:
  struct level {
    recorded_program program;
    picoseconds part;
    picoseconds cost;  // of scheduling, that is part of the program's work
    bool last;
  };
  level const& at(std::size_t n);

  std::mutex lock_;
  task_graph graph_;  // of the coarsest level so far
  part_costs const costs_;
  std::vector<std::unique_ptr<level const>> levels_;
};

}  // namespace ashlar::sim
