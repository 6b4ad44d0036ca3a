// SPDX-License-Identifier: Apache-2.0
// What the headers of the parallel algorithms bring along.
#pragma once

#if !ASHLAR_LEAN_HEADERS
#include <tbb/detail/closure/groups.h>
#if ASHLAR_CLASSIC_DIALECT
#include <ashlar/sched/api/task_arena.h>
#else
#include <tbb/cache_aligned_allocator.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <memory_resource>
#endif
#endif
