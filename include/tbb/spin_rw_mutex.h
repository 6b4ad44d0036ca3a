// SPDX-License-Identifier: Apache-2.0
// spin_rw_mutex: many readers or one writer, for sections of some instructions. A waiting thread spins, later it
// yields; it never sleeps. 8 bytes. Not fair: a waiting writer keeps new readers out. Not recursive.
// Constant-initialised.
//
//   tbb::spin_rw_mutex m;
//   {
//     tbb::spin_rw_mutex::scoped_lock guard(m, false);  // false: read
//     if (!guard.upgrade_to_writer()) look_again();     // another thread may have written
//   }
//
// upgrade_to_writer() returns true if the lock was not released on the way: always when this is the only reader, and
// otherwise unless another thread writes, waits to write or upgrades first. downgrade_to_reader() never releases.
// lock(), try_lock(), unlock() and their _shared forms make it a standard SharedLockable. lock_read() and
// try_lock_read() are classic TBB's names of the shared forms; unlock() ends either kind.
//
// speculative_spin_rw_mutex runs the section as a hardware transaction where the processor has them; else it is a
// padded spin_rw_mutex. It has scoped_lock only.
#pragma once

#include <ashlar/sync/speculative_mutex.h>
#include <ashlar/sync/spin_rw_mutex.h>
#include <tbb/profiling.h>

// The names below the public surface that programs have used.
namespace tbb {
/// The name of the class in TBB 2020.
using spin_rw_mutex_v3 = spin_rw_mutex;
namespace interface8 {
using ::tbb::speculative_spin_rw_mutex;
}  // namespace interface8
}  // namespace tbb

#include <tbb/detail/closure/locks.h>
