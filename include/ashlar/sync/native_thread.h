// SPDX-License-Identifier: Apache-2.0
// The part of tbb::tbb_thread that is not a template. Unlike the library's own threads these belong to the user: no
// name, no signal mask.
#pragma once

#include <ashlar/base/config.h>
#include <ashlar/os/native.h>

namespace ashlar {
inline namespace v1 {
namespace sync {

/// Runs routine(argument) in a new thread. Throws std::runtime_error if the system has no more threads.
ASHLAR_EXPORT os::native_thread start_thread(void* (*routine)(void*), void* argument);
/// Throws std::system_error when a thread waits for itself.
ASHLAR_EXPORT void join_thread(os::native_thread thread);
ASHLAR_EXPORT void detach_thread(os::native_thread thread) noexcept;
/// The processors that this process may use, as the scheduler counts them.
ASHLAR_EXPORT unsigned usable_processors() noexcept;

}  // namespace sync
}  // namespace v1
}  // namespace ashlar
