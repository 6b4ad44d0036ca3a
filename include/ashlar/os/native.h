// SPDX-License-Identifier: Apache-2.0
// The system's own locks, conditions and threads, as classic TBB's classes hand them to their users. An int is the
// system's error number; 0: none.
#pragma once

#ifdef _WIN32
#include <ashlar/os/windows/native.h>
#else
#include <ashlar/os/posix/native.h>
#endif

namespace ashlar {
inline namespace v1 {
namespace os {

// native_mutex, native_condition and native_thread are types of the system. A native_mutex with no bit set is one that
// nobody holds; so is a native_thread that is no thread.

// An error if somebody holds it, where the system sees that.
int destroy(native_mutex& m) noexcept;
int lock(native_mutex& m) noexcept;
bool try_lock(native_mutex& m) noexcept;
void unlock(native_mutex& m) noexcept;

void destroy(native_condition& c) noexcept;
void notify_one(native_condition& c) noexcept;
void notify_all(native_condition& c) noexcept;

native_thread own_native_thread() noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar
