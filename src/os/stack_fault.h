// SPDX-License-Identifier: Apache-2.0
// Being called when a thread's stack overflows, before the process ends of it.
//
// A fault is one of the stack if its address lies at the stack pointer: below a stack nothing is accessible.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace os {

// Has tell(code) called with the address of the instruction, in a signal handler of the thread that overflows; the
// default action follows. Once, and only where the program does not handle that signal, so that a program or a
// sanitizer keeps its handler; one that is set later replaces this one. False: it does, or the system can't tell.
bool watch_stack_faults(void (*tell)(std::uintptr_t code) noexcept) noexcept;

// Gives the calling thread a stack of so many bytes for signal handlers, without which it is not told of. Null if it
// has one, or there is no memory.
void* give_signal_stack(std::size_t bytes) noexcept;
// Takes it back. In the same thread, which may have another one of the program's by now and keeps that.
void take_signal_stack(void* memory, std::size_t bytes) noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar
