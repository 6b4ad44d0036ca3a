// SPDX-License-Identifier: Apache-2.0
// Stands in for stdexec's pool in its tests: an arena of so many threads.
#pragma once

#include <stdexec/execution.hpp>

#include <ashlar/execution.h>
#include <tbb/global_control.h>

#include <cstdint>
#include <random>  // which the other one brings
#include <thread>

namespace experimental::execution {

class static_thread_pool {
 public:
  using scheduler = ::tbb::execution::arena_scheduler;

  explicit static_thread_pool(std::uint32_t threads = std::thread::hardware_concurrency())
      : workers_(::tbb::global_control::max_allowed_parallelism, threads + 1), arena_(int(threads), 0) {}
  static_thread_pool(static_thread_pool const&) = delete;
  static_thread_pool& operator=(static_thread_pool const&) = delete;
  ~static_thread_pool() { arena_.debug_wait_until_empty(); }

  scheduler get_scheduler() { return scheduler(arena_); }
  std::uint32_t available_parallelism() const { return std::uint32_t(arena_.max_concurrency()); }
  static void request_stop() noexcept {}

 private:
  ::tbb::global_control workers_;
  ::tbb::task_arena arena_;
};

}  // namespace experimental::execution

namespace exec = experimental::execution;
