// SPDX-License-Identifier: Apache-2.0
// Which stack the caller runs on, for storage that belongs to a stack instead of a thread: a suspended task may go on
// in another thread, on its own stack. Whoever changes stacks tells; until then, every thread is on its own stack.
#pragma once

#include <ashlar/base/config.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {

// A number that identifies the calling thread's stack as long as that exists, or 0 for the stack that the thread was
// started with, on which nothing ever runs but that thread.
ASHLAR_EXPORT std::uintptr_t stack_identity() noexcept;
// The calling thread has come to another stack.
ASHLAR_EXPORT void set_stack_identity(std::uintptr_t of) noexcept;

}  // namespace v1
}  // namespace ashlar
