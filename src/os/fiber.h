// SPDX-License-Identifier: Apache-2.0
// Stacks that one thread changes between. A fiber is either a stack made here, or the place where a thread's own stack
// is left while the thread runs on another. A fiber is continued only by the thread that left it.
//
// What belongs to a stack and is changed with it: registers, floating-point control words, and the exceptions that are
// being handled. Sanitizers are told.
// Cost: about 5 ns a change.
#pragma once

#include "os/sanitized_stack.h"

#include <ashlar/base/config.h>

#include <cstddef>

namespace ashlar {
inline namespace v1 {
namespace os {

class fiber {
 public:
  using entry = void (*)(void* argument) noexcept;

  // The calling thread's own stack.
  fiber() noexcept;
  // A stack of its own, on which the first change to it calls run(argument), which never returns. `size` in bytes; a
  // page below it is not accessible. Throws std::bad_alloc.
  fiber(std::size_t size, entry run, void* argument);
  fiber(fiber const&) = delete;
  fiber& operator=(fiber const&) = delete;
  // Not while it runs.
  ~fiber();

  // Leaves the running fiber, `from`, and continues this one. Returns when something changes to `from`.
  void continue_from(fiber& from) noexcept;
  // The middle of a stack made here; null for a thread's own.
  char* middle() const noexcept { return stack_ != nullptr ? stack_ + size_ / 2 : nullptr; }

 private:
  static void begin(void* self) noexcept;

  void* point_ = nullptr;  // where it goes on
  char* stack_ = nullptr;  // lowest usable address
  std::size_t size_ = 0;
  entry run_ = nullptr;
  void* argument_ = nullptr;
  fiber* left_ = nullptr;  // who changed to this one
  struct {
    void* caught = nullptr;
    std::size_t uncaught = 0;
  } exceptions_;
  sanitized_stack sanitized_;
};

}  // namespace os
}  // namespace v1
}  // namespace ashlar
