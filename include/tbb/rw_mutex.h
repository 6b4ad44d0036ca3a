// SPDX-License-Identifier: Apache-2.0
// rw_mutex: many readers or one writer; a waiting thread spins, then yields, then sleeps. 8 bytes. Not fair: a
// waiting writer keeps new readers out. Not recursive. Constant-initialised.
//
// scoped_lock(m, write = true), upgrade_to_writer() (true if the lock was not released on the way, which fails only
// when another reader upgrades first), downgrade_to_reader() (never releases). lock(), try_lock(), unlock() and their
// _shared forms make it a standard SharedLockable. Nothing throws.
#pragma once

#include <ashlar/sync/rw_mutex.h>
#include <tbb/profiling.h>

#include <tbb/detail/closure/locks.h>
