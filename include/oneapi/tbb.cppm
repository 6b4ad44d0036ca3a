// SPDX-License-Identifier: Apache-2.0
// The C++20 module: `import tbb;` gives the public names of <oneapi/tbb.h> that oneTBB has, without macros, classic
// TBB's names and what the headers bring along. Compile it with the program's flags; README.md shows how.
module;

#include <oneapi/tbb.h>

#if ASHLAR_CLASSIC_DIALECT
#error "The module tbb has oneTBB's dialect; programs of classic TBB include headers"
#endif

export module tbb;

export namespace oneapi {
namespace tbb = ::tbb;
}

export using ::TBB_runtime_interface_version;
export using ::TBB_runtime_version;

export namespace tbb {

// algorithms, ranges and partitioners
using tbb::affinity_partitioner;
using tbb::auto_partitioner;
using tbb::blocked_nd_range;
using tbb::blocked_range;
using tbb::blocked_range2d;
using tbb::blocked_range3d;
using tbb::collaborative_call_once;
using tbb::collaborative_once_flag;
using tbb::feeder;
using tbb::final_scan_tag;
using tbb::parallel_deterministic_reduce;
using tbb::parallel_for;
using tbb::parallel_for_each;
using tbb::parallel_invoke;
using tbb::parallel_reduce;
using tbb::parallel_scan;
using tbb::parallel_sort;
using tbb::pre_scan_tag;
using tbb::proportional_split;
using tbb::simple_partitioner;
using tbb::split;
using tbb::static_partitioner;

// pipelines
using tbb::filter;
using tbb::filter_mode;
using tbb::flow_control;
using tbb::make_filter;
using tbb::parallel_pipeline;

// tasks, groups and arenas
using tbb::attach;
using tbb::cancel_callback;
using tbb::own_tasks_only;
using tbb::own_tasks_only_t;
#ifdef __cpp_lib_jthread
using tbb::cancel_on_stop;
using tbb::stop_on_cancel;
#endif
using tbb::canceled;
using tbb::complete;
using tbb::core_type_id;
using tbb::create_numa_task_arenas;
using tbb::finalize;
using tbb::global_control;
using tbb::is_current_task_group_canceling;
using tbb::is_inside_task;
using tbb::isolated_task_group;
using tbb::not_complete;
using tbb::numa_node_id;
using tbb::release;
using tbb::task;  // a class, with the static members suspend, resume and current_context
using tbb::task_arena;
using tbb::task_complete;
using tbb::task_completion_handle;
using tbb::task_group;
using tbb::task_group_context;
using tbb::task_group_status;
using tbb::task_handle;
using tbb::task_scheduler_handle;
using tbb::task_scheduler_observer;

namespace info {
using tbb::info::core_types;
using tbb::info::default_concurrency;
using tbb::info::numa_nodes;
}  // namespace info
namespace this_task_arena {
using tbb::this_task_arena::current_thread_index;
using tbb::this_task_arena::end_parallel_phase;
using tbb::this_task_arena::enqueue;
using tbb::this_task_arena::isolate;
using tbb::this_task_arena::max_concurrency;
using tbb::this_task_arena::start_parallel_phase;
}  // namespace this_task_arena

// containers
using tbb::combinable;
using tbb::concurrent_bounded_queue;
using tbb::concurrent_hash_map;
using tbb::concurrent_lru_cache;
using tbb::concurrent_map;
using tbb::concurrent_multimap;
using tbb::concurrent_multiset;
using tbb::concurrent_priority_queue;
using tbb::concurrent_queue;
using tbb::concurrent_set;
using tbb::concurrent_unordered_map;
using tbb::concurrent_unordered_multimap;
using tbb::concurrent_unordered_multiset;
using tbb::concurrent_unordered_set;
using tbb::concurrent_vector;
using tbb::stable_order;
using tbb::enumerable_thread_specific;
using tbb::ets_key_per_instance;
using tbb::ets_key_usage_type;
using tbb::ets_no_key;
using tbb::ets_suspend_aware;
using tbb::flatten2d;
using tbb::flattened2d;
using tbb::tbb_hash_compare;

// locks
using tbb::mutex;
using tbb::null_mutex;
using tbb::null_rw_mutex;
using tbb::queuing_mutex;
using tbb::queuing_rw_mutex;
using tbb::rw_mutex;
using tbb::speculative_spin_mutex;
using tbb::speculative_spin_rw_mutex;
using tbb::spin_mutex;
using tbb::spin_rw_mutex;

// memory
using tbb::allocate_numa_interleaved;
using tbb::cache_aligned_allocator;
using tbb::cache_aligned_resource;
using tbb::deallocate_numa_interleaved;
using tbb::fixed_pool;
using tbb::memory_pool;
using tbb::memory_pool_allocator;
using tbb::scalable_allocator;
using tbb::scalable_memory_resource;
using tbb::tbb_allocator;

// exceptions, assertions, time and names for tools
using tbb::assertion_handler_type;
using tbb::bad_last_alloc;
using tbb::get_assertion_handler;
using tbb::missing_wait;
using tbb::set_assertion_handler;
using tbb::tick_count;
using tbb::unsafe_wait;
using tbb::user_abort;

namespace ext {
using tbb::ext::assertion_handler_type;
using tbb::ext::get_assertion_handler;
using tbb::ext::set_assertion_handler;
}  // namespace ext
namespace profiling {
using tbb::profiling::event;
using tbb::profiling::set_name;
}  // namespace profiling

// operators and functions that calls find by their arguments
using tbb::operator==;
using tbb::operator!=;
using tbb::operator<=>;
using tbb::swap;

}  // namespace tbb

export namespace ashlar {
inline namespace v1 {
namespace algo {
using ashlar::algo::operator&;
}
namespace containers {
using ashlar::containers::operator==;
using ashlar::containers::operator!=;
using ashlar::containers::operator<=>;
}  // namespace containers
namespace sync {
using ashlar::sync::swap;
}
}  // namespace v1
}  // namespace ashlar
