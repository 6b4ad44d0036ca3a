// SPDX-License-Identifier: Apache-2.0
// Stands in for the pool of beman.execution's tests: an arena with one worker.
#pragma once

#include <beman/execution/execution.hpp>

#include <ashlar/execution.h>
#include <test/execution.hpp>

namespace test {

class thread_pool {
 public:
  thread_pool() : arena_(1, 0) {}
  thread_pool(thread_pool const&) = delete;
  thread_pool& operator=(thread_pool const&) = delete;
  ~thread_pool() { arena_.debug_wait_until_empty(); }

  tbb::execution::arena_scheduler get_scheduler() { return tbb::execution::arena_scheduler(arena_); }

 private:
  tbb::task_arena arena_;
};

}  // namespace test
