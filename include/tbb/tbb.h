// SPDX-License-Identifier: Apache-2.0
// All public headers at once. A file that uses a few of them compiles faster when it includes those.
#pragma once

#include <tbb/aligned_space.h>
#include <tbb/blocked_nd_range.h>
#include <tbb/blocked_range.h>
#include <tbb/blocked_range2d.h>
#include <tbb/blocked_range3d.h>
#include <tbb/blocked_rangeNd.h>
#include <tbb/cache_aligned_allocator.h>
#include <tbb/global_control.h>
#include <tbb/memory_pool.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_reduce.h>
#include <tbb/partitioner.h>
#include <tbb/profiling.h>
#include <tbb/runtime_loader.h>
#include <tbb/scalable_allocator.h>
#include <tbb/task.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_init.h>
#include <tbb/tbb_allocator.h>
#include <tbb/tbb_config.h>
#include <tbb/tbb_exception.h>
#include <tbb/tbb_profiling.h>
#include <tbb/tbb_stddef.h>
#include <tbb/tick_count.h>
#include <tbb/version.h>
