// SPDX-License-Identifier: Apache-2.0
// spin_mutex: the lock for sections of some instructions. A waiting thread spins, later it yields its processor; it
// never sleeps. 1 byte. Not fair, not recursive. Constant-initialised; all zero bits are the unlocked state.
//
//   tbb::spin_mutex m;
//   {
//     tbb::spin_mutex::scoped_lock guard(m);
//     ++count;
//   }
//
// lock(), try_lock(), unlock() make it a standard Lockable, for std::lock_guard and the like. Member functions of the
// mutex are thread-safe; a scoped_lock belongs to one thread. Nothing throws. Destroying a mutex that is held is an
// error.
//
// speculative_spin_mutex runs the section as a hardware transaction where the processor has them, so that sections that
// touch different data run at the same time; else it is a padded spin_mutex. It has scoped_lock only.
#pragma once

#include <ashlar/sync/speculative_mutex.h>
#include <ashlar/sync/spin_mutex.h>
#include <tbb/profiling.h>

// The names below the public surface that programs have used.
namespace tbb {
namespace detail {
namespace d1 {
inline namespace ashlar_v1 {
using ::tbb::spin_mutex;
}  // namespace ashlar_v1
}  // namespace d1
}  // namespace detail
}  // namespace tbb

#include <tbb/detail/closure/locks.h>
