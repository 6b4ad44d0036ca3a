// SPDX-License-Identifier: Apache-2.0
// The tasks of a recorded run: who spawned whom, who waited for whom, and what each computed without preemption and
// without the recorder's own cost.
#pragma once

#include "program/recorded_program.h"
#include "trace/trace_file.h"

namespace ashlar::sim {

struct task_item {
  enum class what : std::uint8_t { work, spawn, join, wait, nothing };
  what kind;
  std::uint32_t region;   // of work
  std::uint32_t child;    // of a spawn or join
  std::uint32_t next;     // the task's next item, or none
  picoseconds time;       // of work
};

struct traced_task {
  static constexpr std::uint32_t none = ~0u;
  std::uint32_t region = 0;
  std::uint32_t parent = none;
  std::uint32_t first = none, last = none;  // items
  std::uint32_t lane = 0;        // where it ran
  std::uint32_t spawn_lane = 0;  // where it was spawned
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
  std::vector<std::string> regions;
  std::vector<std::string> complaints;  // what is missing for better names of regions
  // Calls take(index, item) for what the task did, in order.
  template <typename Take>
  void each_item(std::uint32_t task, Take const& take) const {
    for (std::uint32_t i = tasks[task].first; i != none; i = items[i].next) take(i, items[i]);
  }
  // About the recorded run.
  std::uint64_t events = 0;
  std::uint64_t steals = 0;
  std::uint64_t parks = 0;
  picoseconds preempted = 0;      // clipped
  picoseconds blocked = 0;        // of the work: sleep, input, locks of the tasks' own
  picoseconds recorded_time = 0;  // from the start to the end
  picoseconds recorder_time = 0;  // what the events cost, estimated
  unsigned threads = 0;           // that ran tasks
  std::uint64_t buried_waits = 0;  // what was waited for was over, but another task ran on top of the wait
  picoseconds buried_time = 0;
  std::uint64_t migrated = 0;  // tasks that were suspended and went on elsewhere: their times are incomplete
};

// Throws bad_input, with the place, for events that can't follow each other.
task_graph build_graph(trace const& t);

// The same as a program for the simulator. The inner part of a fork that forks again becomes a task of its own.
recorded_program to_program(task_graph const& g);

}  // namespace ashlar::sim
