// SPDX-License-Identifier: Apache-2.0
// How many threads may work in parallel: the default, what task_scheduler_init objects ask for, and what global_control
// objects allow. The same for the size of stacks.
//
// Threads    under the market's lock.
#pragma once

#include <cstddef>

namespace ashlar {
inline namespace v1 {
namespace sched {

// What the environment or the system says: workers and one application thread. So many slots an application thread's
// own arena has, whatever the limit is. Any thread.
unsigned default_concurrency() noexcept;

class thread_limit {
 public:
  static constexpr unsigned most = 1024;

  // A request raises the number; a control sets the upper bound, and 0 takes it back.
  void request(unsigned threads) noexcept { ++requests_[bounded(threads)]; }
  void withdraw(unsigned threads) noexcept { --requests_[bounded(threads)]; }
  void request_stack(std::size_t bytes) noexcept { requested_stack_ = bytes; }
  void control(unsigned threads, std::size_t stack) noexcept {
    control_ = threads;
    control_stack_ = stack;
  }

  unsigned threads() const noexcept;
  // The stack size of workers yet to be created.
  std::size_t stack_size() const noexcept;

 private:
  static unsigned bounded(unsigned threads) noexcept { return threads < most ? threads : most; }

  unsigned requests_[most + 1] = {};  // how many ask for so many threads
  unsigned control_ = 0;
  std::size_t control_stack_ = 0;
  std::size_t requested_stack_ = 0;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
