// SPDX-License-Identifier: Apache-2.0
// What is done with the system's own locks, conditions and threads out of line. An int is the system's error number;
// 0: none. Any thread may call.
#pragma once

#include <ashlar/os/native.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace os {

// A lock that its holder may take again.
int make_recursive(native_mutex& m) noexcept;
// A condition whose deadlines are times of now_ns().
int make_condition(native_condition& c) noexcept;
// Waits until somebody notifies, or for no reason. `deadline` 0: for ever. `over`: the deadline has come.
int wait_for(native_condition& c, native_mutex& m, std::uint64_t deadline, bool& over) noexcept;

// A thread of the user's, with no name and no signal mask of ours.
int start_native(native_thread& thread, void* (*routine)(void*), void* argument) noexcept;
bool is_own(native_thread thread) noexcept;
int join_native(native_thread thread) noexcept;
void detach_native(native_thread thread) noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar
