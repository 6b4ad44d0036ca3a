// SPDX-License-Identifier: Apache-2.0
// What the headers of the flow graph bring along.
#pragma once

#if !ASHLAR_LEAN_HEADERS
#include <tbb/detail/closure/containers.h>
#include <tbb/null_mutex.h>
#include <tbb/null_rw_mutex.h>
#include <tbb/spin_rw_mutex.h>
#include <tbb/task.h>

#include <climits>
#include <deque>
#include <queue>
#if !ASHLAR_CLASSIC_DIALECT
#include <tbb/concurrent_priority_queue.h>
#include <tbb/detail/closure/loops.h>
#include <tbb/detail/closure/tasks.h>

#include <forward_list>
#include <list>
#endif
#endif
