// SPDX-License-Identifier: Apache-2.0
// All public headers at once. A file that uses a few of them compiles faster when it includes those.
#pragma once

// TBB's include guard; the headers of the two kinds of pipelines ask for it.
#define __TBB_tbb_H

#include <tbb/aggregator.h>
#include <tbb/aligned_space.h>
#include <tbb/atomic.h>
#include <tbb/blocked_range.h>
#include <tbb/blocked_range2d.h>
#include <tbb/blocked_range3d.h>
#include <tbb/blocked_rangeNd.h>
#include <tbb/cache_aligned_allocator.h>
#include <tbb/combinable.h>
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_priority_queue.h>
#include <tbb/concurrent_queue.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_unordered_set.h>
#include <tbb/concurrent_vector.h>
#include <tbb/critical_section.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/flow_graph.h>
#include <tbb/flow_graph_abstractions.h>
#include <tbb/global_control.h>
#include <tbb/iterators.h>
#include <tbb/mutex.h>
#include <tbb/null_mutex.h>
#include <tbb/null_rw_mutex.h>
#include <tbb/parallel_do.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#include <tbb/partitioner.h>
#include <tbb/pipeline.h>
#include <tbb/profiling.h>
#include <tbb/queuing_mutex.h>
#include <tbb/queuing_rw_mutex.h>
#include <tbb/reader_writer_lock.h>
#include <tbb/recursive_mutex.h>
#include <tbb/spin_mutex.h>
#include <tbb/spin_rw_mutex.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_init.h>
#include <tbb/task_scheduler_observer.h>
#include <tbb/tbb_allocator.h>
#include <tbb/tbb_config.h>
#include <tbb/tbb_exception.h>
#include <tbb/tbb_machine.h>
#include <tbb/tbb_profiling.h>
#include <tbb/tbb_stddef.h>
#include <tbb/tbb_thread.h>
#include <tbb/tick_count.h>
#include <tbb/version.h>

// What TBB 2020's tbb.h has not, or as a preview only.
#if !ASHLAR_CLASSIC_DIALECT
#include <tbb/blocked_nd_range.h>
#include <tbb/collaborative_call_once.h>
#include <tbb/coroutine.h>
#include <tbb/flow_coroutine.h>
#include <tbb/info.h>
#include <tbb/memory_pool.h>
#include <tbb/numa_allocation.h>
#include <tbb/parallel_clear.h>
#include <tbb/parallel_while.h>
#include <tbb/runtime_loader.h>
#include <tbb/rw_mutex.h>
#include <tbb/scalable_allocator.h>
#include <tbb/stop_token.h>
#endif
#if !ASHLAR_CLASSIC_DIALECT || (defined(TBB_PREVIEW_CONCURRENT_LRU_CACHE) && TBB_PREVIEW_CONCURRENT_LRU_CACHE)
#include <tbb/concurrent_lru_cache.h>
#endif
#if !ASHLAR_CLASSIC_DIALECT || \
    (defined(TBB_PREVIEW_CONCURRENT_ORDERED_CONTAINERS) && TBB_PREVIEW_CONCURRENT_ORDERED_CONTAINERS)
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_set.h>
#endif

#if !ASHLAR_LEAN_HEADERS
#include <queue>
#if !ASHLAR_CLASSIC_DIALECT
#include <tbb/detail/_inner_names.h>

#include <forward_list>
#endif
#endif
