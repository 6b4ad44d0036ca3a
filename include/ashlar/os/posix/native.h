// SPDX-License-Identifier: Apache-2.0
// ashlar/os/native.h with the threads of POSIX.
#pragma once

#include <pthread.h>

namespace ashlar {
inline namespace v1 {
namespace os {

using native_mutex = pthread_mutex_t;
using native_condition = pthread_cond_t;
using native_thread = pthread_t;

inline int destroy(native_mutex& m) noexcept { return ::pthread_mutex_destroy(&m); }
inline int lock(native_mutex& m) noexcept { return ::pthread_mutex_lock(&m); }
inline bool try_lock(native_mutex& m) noexcept { return ::pthread_mutex_trylock(&m) == 0; }
inline void unlock(native_mutex& m) noexcept { ::pthread_mutex_unlock(&m); }

inline void destroy(native_condition& c) noexcept { ::pthread_cond_destroy(&c); }
inline void notify_one(native_condition& c) noexcept { ::pthread_cond_signal(&c); }
inline void notify_all(native_condition& c) noexcept { ::pthread_cond_broadcast(&c); }

inline native_thread own_native_thread() noexcept { return ::pthread_self(); }

}  // namespace os
}  // namespace v1
}  // namespace ashlar
