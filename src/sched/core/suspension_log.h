// SPDX-License-Identifier: Apache-2.0
// The tasks that are suspended, for the hang report: which, since when, and where they left their stacks. Kept while
// the watch is on.
//
// Threads: any. A record lies on the stack that is left, and is in the list until the stack goes on.
#pragma once

#include "os/thread_backtrace.h"

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

class thread_data;

class suspension {
 public:
  // The calling thread is about to leave the stack `left`; a task runs on it, or nothing that the log knows.
  suspension(thread_data const& of, bool on, void const* left) noexcept;
  ~suspension() {
    if (listed_) leave();
  }
  suspension(suspension const&) = delete;
  suspension& operator=(suspension const&) = delete;

  void const* kind = nullptr;  // of the task, as in the task log; null: outermost code of the thread
  void const* task = nullptr;  // only compared
  void const* left;            // the stack; its address is also the suspend point
  std::uintptr_t stack = 0;
  std::uint64_t since = 0;
  int tid = 0;
  os::thread_place place;

  // Calls take(suspension const&) for each, under the log's lock.
  template <typename Take>
  static void for_each(Take const& take) noexcept {
    each([](suspension const& s, void* context) noexcept { (*static_cast<Take const*>(context))(s); },
         const_cast<Take*>(&take));
  }
  // In the child of a fork, where the stacks of other threads never go on.
  static void forget_all() noexcept;

 private:
  static void each(void (*take)(suspension const&, void*) noexcept, void* context) noexcept;
  void leave() noexcept;

  bool listed_ = false;
  suspension* next_ = nullptr;
  suspension* previous_ = nullptr;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
