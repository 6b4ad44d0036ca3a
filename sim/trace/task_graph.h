// SPDX-License-Identifier: Apache-2.0
// The tasks of a recorded run: who spawned whom, who waited for whom, and what each computed without preemption and
// without the recorder's own cost.
#pragma once

#include "program/recorded_program.h"
#include "trace/trace_file.h"

#include <array>

namespace ashlar::sim {

struct task_item {
  enum class what : std::uint8_t { work, spawn, join, wait, nothing, folded };
  what kind;
  std::uint32_t region;  // of work
  std::uint32_t child;   // of a spawn or join; of a folded part, its number
  std::uint32_t next;    // the task's next item, or none
  picoseconds time;      // of work

  bool is_work() const noexcept { return kind == what::work || kind == what::folded; }
};

// A part of a run that is kept in sum only (trace/folding.h).
struct folded_part {
  struct region_sum {
    std::uint32_t region;
    picoseconds work, path;  // in all, and on the part's longest path
    std::uint64_t tasks;
  };
  picoseconds work = 0, span = 0;
  std::uint64_t tasks = 0;
  std::uint32_t spawns = 0;  // on its longest path
  std::vector<region_sum> regions;
};

// How many tasks computed for how long: 16 steps for each doubling.
class grain_histogram {
 public:
  static constexpr unsigned steps = 16;
  void add(picoseconds work) noexcept;
  std::uint64_t below(picoseconds work) const noexcept;
  picoseconds median() const noexcept;  // 0 if empty

 private:
  static unsigned step_of(picoseconds work) noexcept;
  static picoseconds start_of(unsigned step) noexcept;
  std::array<std::uint64_t, 64 * steps> counts_{};
};

struct traced_task {
  static constexpr std::uint32_t none = ~0u;
  std::uint32_t region = 0;
  std::uint32_t parent = none;
  std::uint32_t first = none, last = none;          // items
  std::uint32_t lane = 0;                           // where it ran
  std::uint32_t spawn_lane = 0;                     // where it was spawned
  std::uint64_t spawned = 0, begun = 0, ended = 0;  // ticks
  picoseconds work = 0;                             // its own
  bool ran = false;
  bool named = false;  // its region is the user's
  bool over = false;
  bool continues = false;  // a classic continuation: it started when its siblings were over
};

struct task_graph {
  static constexpr std::uint32_t none = ~0u;
  std::vector<traced_task> tasks;  // 0: the main thread outside of all tasks
  std::vector<task_item> items;
  std::vector<folded_part> folded;
  std::vector<std::string> regions;
  std::vector<std::string> complaints;  // what is missing for better names of regions
  // Calls take(index, item) for what the task did, in order.
  template <typename Take>
  void each_item(std::uint32_t task, Take const& take) const {
    for (std::uint32_t i = tasks[task].first; i != none; i = items[i].next) take(i, items[i]);
  }
  // About the recorded run.
  std::uint64_t ran = 0;         // tasks, the main thread not counted
  picoseconds largest_part = 0;  // 0: no part had to be folded
  grain_histogram grains;
  std::uint64_t events = 0;
  std::uint64_t steals = 0;
  std::uint64_t parks = 0;
  picoseconds preempted = 0;       // clipped
  picoseconds blocked = 0;         // of the work: sleep, input, locks of the tasks' own
  picoseconds recorded_time = 0;   // from the start to the end
  picoseconds recorder_time = 0;   // what the events cost, estimated
  unsigned threads = 0;            // that ran tasks
  std::uint64_t buried_waits = 0;  // what was waited for was over, but another task ran on top of the wait
  picoseconds buried_time = 0;
  std::uint64_t migrated = 0;  // tasks that were suspended and went on elsewhere: their times are incomplete
};

// What the tasks of a folded part cost beside their work: each one's scheduling, and a theft on the longest path.
struct part_costs {
  picoseconds task = 0, theft = 0;
};

// The same as a program for the simulator. The inner part of a fork that forks again becomes a task of its own, and a
// folded part a task with children that have its work and, with thefts, its span.
recorded_program to_program(task_graph const& g, part_costs const& costs = {});

}  // namespace ashlar::sim
