// SPDX-License-Identifier: Apache-2.0
// The public names by the inner namespaces that oneTBB keeps them in (tbb::detail), for programs that spell them so.
// <tbb/tbb.h> includes it. Classic TBB has no such namespace.
#pragma once

#include <tbb/detail/_aligned_space.h>
#include <tbb/detail/_allocator_traits.h>
#include <tbb/detail/_attach.h>
#include <tbb/detail/_pipeline_filters.h>
#include <tbb/detail/_range_common.h>
#include <tbb/detail/_task_handle.h>
#include <tbb/detail/_template_helpers.h>
#include <tbb/tbb.h>

#include <ashlar/containers/segmented_iterator.h>
#include <ashlar/containers/thread_elements.h>

#if !ASHLAR_CLASSIC_DIALECT
namespace tbb {
namespace detail {

inline namespace d0 {
inline namespace ashlar_v1 {
using ::tbb::internal::atomic_backoff;
using ::tbb::internal::spin_wait_until_eq;
using ::tbb::internal::spin_wait_while_eq;
}  // namespace ashlar_v1
}  // namespace d0

namespace d1 {
inline namespace ashlar_v1 {
using ::ashlar::containers::segmented_iterator;
/// What enumerable_thread_specific allocates for a thread.
template <typename T>
using ets_element = ::ashlar::containers::thread_element<T>;
using ::tbb::affinity_partitioner;
using ::tbb::auto_partitioner;
using ::tbb::cache_aligned_allocator;
using ::tbb::collaborative_call_once;
using ::tbb::collaborative_once_flag;
using ::tbb::combinable;
using ::tbb::concurrent_lru_cache;
using ::tbb::concurrent_priority_queue;
using ::tbb::concurrent_vector;
using ::tbb::core_type_id;
using ::tbb::enumerable_thread_specific;
using ::tbb::final_scan_tag;
using ::tbb::fixed_pool;
using ::tbb::flatten2d;
using ::tbb::flattened2d;
using ::tbb::is_current_task_group_canceling;
using ::tbb::memory_pool;
using ::tbb::mutex;
using ::tbb::null_mutex;
using ::tbb::null_rw_mutex;
using ::tbb::numa_node_id;
using ::tbb::parallel_deterministic_reduce;
using ::tbb::parallel_for;
using ::tbb::parallel_invoke;
using ::tbb::parallel_pipeline;
using ::tbb::parallel_reduce;
using ::tbb::parallel_scan;
using ::tbb::parallel_sort;
using ::tbb::pre_scan_tag;
using ::tbb::queuing_mutex;
using ::tbb::queuing_rw_mutex;
using ::tbb::rw_mutex;
using ::tbb::scalable_allocator;
using ::tbb::simple_partitioner;
using ::tbb::spin_rw_mutex;
using ::tbb::static_partitioner;
using ::tbb::task_scheduler_handle;
using ::tbb::task_scheduler_observer;
using ::tbb::tbb_allocator;
using ::tbb::tick_count;
}  // namespace ashlar_v1
}  // namespace d1

namespace d2 {
inline namespace ashlar_v1 {
using ::tbb::concurrent_bounded_queue;
using ::tbb::concurrent_hash_map;
using ::tbb::concurrent_unordered_map;
using ::tbb::concurrent_unordered_multimap;
using ::tbb::concurrent_unordered_multiset;
using ::tbb::concurrent_unordered_set;
using ::tbb::feeder;
using ::tbb::isolated_task_group;
using ::tbb::parallel_for_each;
using ::tbb::task_group;
}  // namespace ashlar_v1
}  // namespace d2

}  // namespace detail
}  // namespace tbb
#endif
