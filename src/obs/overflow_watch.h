// SPDX-License-Identifier: Apache-2.0
// Tells of a stack overflow: one line on stderr from a handler of SIGSEGV, before the default action follows.
//
// A fault is one of the stack if its address lies at the stack pointer: below a stack nothing is accessible. The
// handler is set only where SIGSEGV has its default action, so that a program or a sanitizer that has a handler keeps
// it; one that is set later replaces this one. It needs a stack of its own: threads of the library get one
// (signal_stack).
#pragma once

#include <cstddef>

namespace ashlar {
inline namespace v1 {
namespace obs {

// What the line says of the calling thread, without an end of line; in the handler: only async-signal-safe calls.
// Returns the length.
using overflow_text = std::size_t (*)(char* to, std::size_t room) noexcept;

// Once, before threads need signal stacks. False if SIGSEGV is handled or ignored.
bool watch_overflows(overflow_text describe) noexcept;
bool watches_overflows() noexcept;

// A stack on which the calling thread handles signals while this lives, if overflows are watched and the thread has
// none.
class signal_stack {
 public:
  signal_stack() noexcept;
  ~signal_stack();
  signal_stack(signal_stack const&) = delete;
  signal_stack& operator=(signal_stack const&) = delete;

 private:
  static constexpr std::size_t bytes = std::size_t{64} << 10;  // a program's later handler may run there, too
  void* memory_ = nullptr;
};

}  // namespace obs
}  // namespace v1
}  // namespace ashlar
