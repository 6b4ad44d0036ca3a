// SPDX-License-Identifier: Apache-2.0
// ashlar/os/native.h with the locks of Windows, whose own header would bring its macros into programs.
#pragma once

#include <ashlar/base/config.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace os {

/// A slim lock; a recursive one knows its holder.
struct native_mutex {
  void* lock;  // SRWLOCK
  unsigned long holder;
  unsigned depth;
  bool recursive;
};
/// CONDITION_VARIABLE.
struct native_condition {
  void* waiters;
};
/// A pthread_t of winpthreads.
using native_thread = std::uintptr_t;

ASHLAR_EXPORT int destroy(native_mutex& m) noexcept;
ASHLAR_EXPORT int lock(native_mutex& m) noexcept;
ASHLAR_EXPORT bool try_lock(native_mutex& m) noexcept;
ASHLAR_EXPORT void unlock(native_mutex& m) noexcept;

inline void destroy(native_condition&) noexcept {}
ASHLAR_EXPORT void notify_one(native_condition& c) noexcept;
ASHLAR_EXPORT void notify_all(native_condition& c) noexcept;

ASHLAR_EXPORT native_thread own_native_thread() noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar
