// SPDX-License-Identifier: Apache-2.0
// The options --max-tasks and --max-memory of the commands that unfold graphs or read traces.
#pragma once

#include "cli/command.h"
#include "engine/simulate.h"
#include "graphs/size.h"

#include <memory>

namespace ashlar::sim {

// Three quarters of what the machine, the control group and `ulimit -v` leave this process.
double free_memory();

class limit_options {
 public:
  void add_to(arguments& a);
  // The graph, if `at_once` runs of it on so many workers end and fit; else throws bad_input.
  std::unique_ptr<program> make(std::string const& graph, unsigned workers, unsigned at_once) const;
  // The same limits for what the estimate didn't foresee.
  void apply(sim::options& how, unsigned at_once) const;
  // Throws bad_input if the trace is too large to be read.
  void require_trace(std::string const& file) const;

 private:
  size_limits limits() const { return {tasks_, 1e6 * megabytes_}; }
  double tasks_ = size_limits().tasks;
  double megabytes_ = free_memory() * 1e-6;
};

// Cells that are simulated side by side on our own scheduler.
unsigned runs_at_once(std::size_t cells);

}  // namespace ashlar::sim
