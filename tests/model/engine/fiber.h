// SPDX-License-Identifier: Apache-2.0
// A second stack to run on. Left in the middle of anything and prepared anew, it starts from the beginning:
// executions that are given up are not unwound.
#pragma once

#include <cstddef>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace ashlar::model {

class fiber {
 public:
  // The next switch to this fiber calls entry, which never returns.
  void prepare(char* stack, std::size_t size, void (*entry)());
  static void go(fiber& from, fiber& to);

 private:
  friend void fiber_started();
#if defined(__x86_64__)
  void* top_ = nullptr;
#else
  ucontext_t context_;
#endif
  struct exceptions {  // the part of the C++ runtime's state that belongs to a stack
    void* caught = nullptr;
    unsigned uncaught = 0;
  } exceptions_;
  [[maybe_unused]] void* sanitizer_ = nullptr;
  char* stack_ = nullptr;
  std::size_t size_ = 0;
};

// To be called first by an entry.
void fiber_started();

}  // namespace ashlar::model
