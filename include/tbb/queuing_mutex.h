// SPDX-License-Identifier: Apache-2.0
// queuing_mutex: threads get the lock in the order of their coming. 8 bytes; its only interface is scoped_lock, which
// is the thread's place in the queue and must not move. Not recursive. Nothing throws.
//
// The order holds among threads that run. A waiter that has gone to sleep (after some microseconds, which mostly
// means more threads than processors) gets the lock as soon as its turn has come and it runs again; until then running
// threads may pass it. So the lock stays fair over time and fast when there are more threads than processors.
#pragma once

#include <ashlar/sync/queuing_mutex.h>
#include <tbb/profiling.h>

#include <tbb/detail/closure/locks.h>
#if !ASHLAR_LEAN_HEADERS
#include <cstring>
#endif
