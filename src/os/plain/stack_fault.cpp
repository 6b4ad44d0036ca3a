// SPDX-License-Identifier: Apache-2.0
// Where nobody is told of a stack that overflows.
#include "os/stack_fault.h"

namespace ashlar::inline v1::os {

bool watch_stack_faults(void (*)(std::uintptr_t code) noexcept) noexcept { return false; }

void* give_signal_stack(std::size_t) noexcept { return nullptr; }

void take_signal_stack(void*, std::size_t) noexcept {}

}  // namespace ashlar::inline v1::os
