// SPDX-License-Identifier: Apache-2.0
// Which stack the caller runs on, for storage that belongs to a stack instead of a thread: a suspended task may go on
// in another thread, on its own stack. The scheduler installs the answer; without it, every thread is on its own stack.
#pragma once

#include <ashlar/base/config.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {

// A number that identifies the stack as long as it exists, or 0 for the stack that the thread was started with if
// nothing ever runs on it but that thread.
using stack_identity_function = std::uintptr_t (*)() noexcept;

// 0 unless a function is installed. Any thread may call.
ASHLAR_EXPORT std::uintptr_t stack_identity() noexcept;
// Called with the same function each time, first before any thread can have left its stack.
ASHLAR_EXPORT void set_stack_identity(stack_identity_function f) noexcept;

}  // namespace v1
}  // namespace ashlar
