// SPDX-License-Identifier: Apache-2.0
// Threads for what a test spawns outside of explicit arenas.
//
// A limit (global_control) does not give a thread's own arena more slots than the machine has processors, so that a
// test which needs four threads would run with one on a machine that has one. Classic TBB's scope decides on the slots.
#pragma once

#include "support/eventually.h"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_init.h>

#include <cstddef>
#include <optional>
#include <stdexcept>

namespace test {

// While the object lives, so many threads in all run what the thread that made it spawns. Throws std::logic_error if
// the thread is in a task, or has an arena that it can't leave.
class thread_team {
 public:
  explicit thread_team(std::size_t threads) {
    // The thread keeps its arena as long as jobs lie there, which an earlier test may have left to workers.
    bool const comes = eventually([&] {
      slots_.reset();
      limit_.reset();
      limit_.emplace(tbb::global_control::max_allowed_parallelism, threads);
      slots_.emplace(static_cast<int>(threads));
      return tbb::this_task_arena::max_concurrency() == static_cast<int>(threads);
    });
    if (!comes) throw std::logic_error("the thread has an arena of another size");
  }

 private:
  std::optional<tbb::global_control> limit_;
  std::optional<tbb::task_scheduler_init> slots_;
};

}  // namespace test
