// SPDX-License-Identifier: Apache-2.0
// queuing_rw_mutex: many readers or one writer, in the order of their coming; readers that stand one behind the other
// enter together. 8 bytes; its only interface is scoped_lock (as that of spin_rw_mutex), which is the thread's place in
// the queue and must not move. Not recursive. Nothing throws. About the order see queuing_mutex.h.
//
// upgrade_to_writer() goes before all that wait, and returns true if the lock was not released on the way, which fails
// only when another reader upgrades first.
#pragma once

#include <ashlar/sync/queuing_rw_mutex.h>
#include <tbb/profiling.h>

#include <tbb/detail/closure/locks.h>
#if !ASHLAR_LEAN_HEADERS
#include <cstring>
#endif
