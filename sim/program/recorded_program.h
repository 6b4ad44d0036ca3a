// SPDX-License-Identifier: Apache-2.0
// A program of explicit tasks, as a trace tells them. Task 0 is the root.
//
// The builder takes the steps of all tasks in any interleaving (in the order of time, say); within a task the order of
// the calls is the order of its steps. 24 bytes a step, 16 a task.
#pragma once

#include "program/program.h"

#include <vector>

namespace ashlar::sim {

class recorded_program final : public program {
 public:
  class builder;
  struct recorded_task {
    std::uint32_t region;
    std::uint32_t first;  // index of its first step, or none
    std::uint32_t last;
    join_kind join;
    bool spawned;
  };
  struct recorded_step {
    picoseconds work;
    std::uint32_t child;  // of a spawn
    std::uint32_t next;   // the task's next step, or none
    step_kind kind;
  };
  static constexpr std::uint32_t none = ~0u;

  task_state root() const override { return state_of(0); }
  step next(task_state& self, task_state& child) const override;
  join_kind join_of(task_state const& task) const override { return tasks_[index_of(task)].join; }
  std::uint32_t region_of(task_state const& task) const override { return tasks_[index_of(task)].region; }
  std::string region_name(std::uint32_t region) const override;

  std::size_t size() const noexcept { return tasks_.size(); }
  std::vector<recorded_task> const& tasks() const noexcept { return tasks_; }
  std::vector<recorded_step> const& steps() const noexcept { return steps_; }
  // The task's number, from its state.
  static std::uint32_t index_of(task_state const& task) noexcept { return static_cast<std::uint32_t>(task.a); }

 private:
  task_state state_of(std::uint32_t task) const noexcept;
  std::vector<recorded_task> tasks_;
  std::vector<recorded_step> steps_;
  std::vector<std::string> regions_;
};

class recorded_program::builder {
 public:
  // The number of a new region / task. The first task is the root.
  std::uint32_t add_region(std::string name);
  std::uint32_t add_task(std::uint32_t region);

  // The next step of a task. Neighbouring work steps become one. Throws std::invalid_argument for numbers that
  // add_task has not given, and for a child that is spawned twice or is the root.
  void work(std::uint32_t task, picoseconds duration);
  void spawn(std::uint32_t task, std::uint32_t child);
  void wait(std::uint32_t task) { append(task, step_kind::wait, 0, none); }
  void wait_continuation(std::uint32_t task) { append(task, step_kind::wait_continuation, 0, none); }

  // Throws std::invalid_argument, naming the task, if there is none, if one is never spawned (its steps would never
  // run), or if one mixes both kinds of waits. The builder is empty afterwards.
  recorded_program build();

 private:
  void check(std::uint32_t task) const;
  void append(std::uint32_t task, step_kind kind, picoseconds work, std::uint32_t child);
  recorded_program made_;
};

}  // namespace ashlar::sim
