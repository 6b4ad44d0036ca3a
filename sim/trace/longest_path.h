// SPDX-License-Identifier: Apache-2.0
// The longest chain of work below a task: how long it is, and what lies on it. Children are measured before their
// parents.
#pragma once

#include "trace/task_graph.h"

#include <vector>

namespace ashlar::sim {

class longest_path {
 public:
  // `burden` is added to each spawn, before the child begins.
  longest_path(task_graph const& g, picoseconds burden);

  // The task with all that it has spawned.
  void measure_tree(std::uint32_t root);
  picoseconds span(std::uint32_t task) const { return spans_[task]; }

  // Backwards along the measured task's longest path: take(item) for each piece of work and each folded part. Returns
  // how many spawns lie on the path.
  template <typename Take>
  std::uint32_t walk(std::uint32_t root, Take const& take) const {
    constexpr std::uint32_t none = task_graph::none;
    std::vector<std::uint32_t> open;  // the next item of each task on the path
    std::uint32_t spawns = 0;
    auto const enter = [&](std::uint32_t task) {
      for (std::uint32_t child = last_child_[task]; child != none; child = last_child_[task]) {
        open.push_back(before_[spawn_at_[child]]);
        ++spawns;
        task = child;
      }
      open.push_back(graph_.tasks[task].last);
    };
    enter(root);
    while (!open.empty()) {
      std::uint32_t const item = open.back();
      if (item == none) {
        open.pop_back();
        continue;
      }
      if (graph_.items[item].is_work()) take(graph_.items[item]);
      std::uint32_t const blocker = blockers_[item];
      open.back() = blocker == none ? before_[item] : before_[spawn_at_[blocker]];
      if (blocker == none) continue;
      ++spawns;
      enter(blocker);
    }
    return spawns;
  }

 private:
  void measure(std::uint32_t task);

  task_graph const& graph_;
  picoseconds const burden_;
  std::vector<picoseconds> spans_;         // of the task and all that it spawned
  std::vector<std::uint32_t> last_child_;  // the one that is over last, if later than the task itself
  std::vector<std::uint32_t> spawn_at_;    // its spawn item
  std::vector<std::uint32_t> blockers_;    // of a wait: the child that it waited for longest
  std::vector<std::uint32_t> before_;      // the item before
  std::vector<std::uint32_t> order_;       // of measure_tree
};

}  // namespace ashlar::sim
