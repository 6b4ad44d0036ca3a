// SPDX-License-Identifier: Apache-2.0
// How large a graph will be, told before it is unfolded: closed forms; a random tree is walked for a while. So what
// can't end or fit is refused at once.
#pragma once

#include <string_view>

namespace ashlar::sim {

// What simulations and real runs may take. Raised by --max-tasks and --max-memory.
struct size_limits {
  double tasks = 2e8;                         // of a run: about a minute
  double memory = 4e9;                        // bytes, of all runs that go on at once
  static constexpr double random_excess = 4;  // so much larger than expected a random tree may be: T1 is three times
  static constexpr double items_per_task =
      64;  // so many of a graph's items take as long to look at as a task to simulate
  static constexpr double bytes_per_task = 128;  // of the simulator, for an open task
};

// Throws bad_input, naming the graph, its size and the limit, if a run on so many workers would not end or fit.
// `at_once`: runs that go on side by side.
void require_size(std::string_view specification, size_limits const& limits, unsigned workers, unsigned at_once);

}  // namespace ashlar::sim
