// SPDX-License-Identifier: Apache-2.0
// mutex: the lock for sections of any length. A waiting thread spins, then yields, then sleeps. Not fair, not
// recursive.
//
// In oneTBB's meaning it has 1 byte, is constant-initialised and never throws. With ASHLAR_CLASSIC_DIALECT it is a
// pthread mutex (40 bytes on x86-64) with native_handle(), as in classic TBB (docs/decisions/0001). Either has
// scoped_lock, and lock(), try_lock() and unlock(), which make it a standard Lockable.
#pragma once

#include <ashlar/sync/mutex.h>
#include <tbb/profiling.h>
#if ASHLAR_CLASSIC_DIALECT
#include <ashlar/sync/os_mutex.h>
#endif

namespace tbb {

#if ASHLAR_CLASSIC_DIALECT
using mutex = ::ashlar::sync::os_mutex;
#else
using mutex = ::ashlar::sync::adaptive_mutex;
#endif

}  // namespace tbb

#include <tbb/detail/closure/locks.h>
