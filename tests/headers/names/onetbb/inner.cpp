// SPDX-License-Identifier: Apache-2.0
// Names below oneTBB's public surface that programs use: tbb::v1, tbb::detail::{d0,d1,d2,r1}, as <tbb/tbb.h> alone
// brings them, and names for tools. It compiles with oneTBB's own headers as well, so it states oneTBB's interface and
// not ours. Compiled only.
#define TBB_PREVIEW_CONCURRENT_LRU_CACHE 1
#define TBB_PREVIEW_ISOLATED_TASK_GROUP 1
#define TBB_PREVIEW_MEMORY_POOL 1
#include <oneapi/tbb.h>

#include <atomic>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

namespace d0 = tbb::detail::d0;
namespace d1 = tbb::detail::d1;
namespace d2 = tbb::detail::d2;
namespace r1 = tbb::detail::r1;

template <typename A, typename B>
constexpr bool same = std::is_same_v<A, B>;
template <typename T>
using has_size = decltype(std::declval<T&>().size());

void one_entity() {
  using tbb::v1::parallel_for;
  parallel_for(0, 1, [](int) {});
  static_assert(same<tbb::v1::task_arena, tbb::task_arena> && same<d1::task_arena, tbb::task_arena>);
  static_assert(same<d1::task_group_context, tbb::task_group_context> && same<d1::global_control, tbb::global_control>);
  static_assert(same<d1::task_scheduler_observer, tbb::task_scheduler_observer> &&
                same<d1::tick_count, tbb::tick_count>);
  static_assert(same<d1::blocked_range<int>, tbb::blocked_range<int>> &&
                same<d1::auto_partitioner, tbb::auto_partitioner>);
  static_assert(same<d1::simple_partitioner, tbb::simple_partitioner> &&
                same<d1::static_partitioner, tbb::static_partitioner>);
  static_assert(same<d1::affinity_partitioner, tbb::affinity_partitioner> &&
                same<d1::filter<int, int>, tbb::filter<int, int>>);
  static_assert(same<d1::filter_mode, tbb::filter_mode> && same<d1::flow_control, tbb::flow_control> &&
                same<d1::pre_scan_tag, tbb::pre_scan_tag>);
  static_assert(same<d1::cache_aligned_allocator<int>, tbb::cache_aligned_allocator<int>> &&
                same<d1::tbb_allocator<int>, tbb::tbb_allocator<int>>);
  static_assert(same<d1::scalable_allocator<int>, tbb::scalable_allocator<int>> &&
                same<d1::fixed_pool, tbb::fixed_pool>);
  static_assert(same<d1::concurrent_vector<int>, tbb::concurrent_vector<int>> &&
                same<d1::combinable<int>, tbb::combinable<int>>);
  static_assert(same<d1::concurrent_priority_queue<int>, tbb::concurrent_priority_queue<int>>);
  static_assert(same<d1::enumerable_thread_specific<int>, tbb::enumerable_thread_specific<int>>);
  static_assert(same<d1::mutex, tbb::mutex> && same<d1::rw_mutex, tbb::rw_mutex> &&
                same<d1::spin_mutex, tbb::spin_mutex>);
  static_assert(same<d1::spin_rw_mutex, tbb::spin_rw_mutex> && same<d1::queuing_mutex, tbb::queuing_mutex> &&
                same<d1::null_mutex, tbb::null_mutex>);
  static_assert(same<d1::queuing_rw_mutex, tbb::queuing_rw_mutex> && same<d1::attach, tbb::attach> &&
                same<d1::numa_node_id, tbb::numa_node_id>);
  static_assert(same<d2::concurrent_hash_map<int, int>, tbb::concurrent_hash_map<int, int>> &&
                same<d2::task_group, tbb::task_group>);
  static_assert(same<d2::concurrent_unordered_map<int, int>, tbb::concurrent_unordered_map<int, int>>);
  static_assert(same<d2::concurrent_queue<int>, tbb::concurrent_queue<int>> &&
                same<d2::concurrent_bounded_queue<int>, tbb::concurrent_bounded_queue<int>>);
  static_assert(same<d2::task_handle, tbb::task_handle> && same<d2::feeder<int>, tbb::feeder<int>> &&
                same<d2::isolated_task_group, tbb::isolated_task_group>);
  static_assert(same<d0::split, tbb::split> && same<tbb::detail::proportional_split, tbb::proportional_split>);
}

void helpers() {
  d0::atomic_backoff backoff;
  backoff.pause();
  backoff.reset();
  std::atomic<int> const place(1);
  d0::spin_wait_while_eq(place, 0);
  d0::spin_wait_until_eq(place, 1);
  std::atomic<tbb::detail::do_once_state> state{d0::do_once_state::uninitialized};
  d0::atomic_do_once([] {}, state);
  static_assert(d0::do_once_state::initialized == d0::do_once_state::executed);
  (void)d0::timed_spin_wait_until([&] { return state == d0::do_once_state::pending; });
  d0::aligned_space<int, 3> space;
  auto guard = d0::make_raii_guard([] {});
  guard.dismiss();
  d0::try_call([] {}).on_completion([] {});
  static_assert(tbb::detail::supports<std::string, has_size>::value && sizeof(d0::index_sequence<1>) &&
                sizeof(d0::void_t<int>*));
  auto pack = d0::save_pack(1);
  d0::call([](int) {}, pack);
  static_assert(same<d0::allocator_traits<std::allocator<int>>::value_type, int>);
  (void)(space.begin() == space.end() || d0::log2(8u) || d0::is_power_of_two(8) || d0::is_aligned(&place, 4) ||
         d0::clamp(1, 0, 2));
  (void)(d0::max_nfs_size + r1::cache_line_size());
  d0::machine_pause(1);
  d0::yield();
  void* const memory = r1::cache_aligned_allocate(10);
  r1::cache_aligned_deallocate(memory);
  d1::constraints const wanted;
  (void)(r1::constraints_default_concurrency(wanted, 0) + r1::constraints_threads_per_core(wanted, 0));
  (void)d0::exception_id::bad_alloc;
  __TBB_ASSERT(memory != nullptr, "the address is kept");
  (void)sizeof(d1::ets_element<int>);
  (void)sizeof(d1::segmented_iterator<tbb::concurrent_vector<std::vector<int>>, int>*);
  d1::cpu_ctl_env settings;
  settings.get_env();
  d1::wait_context count(1);
  count.release();
}

extern "C" __TBB_EXPORT int use_exported();
extern "C" int use_exported() { return 0; }

struct watched : tbb::concurrent_hash_map<int, int>::accessor {
  bool writes() { return this->is_writer(); }
};

void tools() {
  tbb::profiling::event event("one"), named(std::string("two"));
  event.emit();
  tbb::profiling::event::emit("three");
  tbb::spin_mutex spin;
  tbb::profiling::set_name(spin, "spin");
  tbb::queuing_mutex queuing;
  tbb::profiling::set_name(queuing, "queuing");
  tbb::tick_count const begin = tbb::tick_count::now();
  tbb::tick_count::interval_t passed = tbb::tick_count::now() - begin;
  passed += passed - passed;
  (void)(passed.seconds() + tbb::tick_count::resolution() + double(sizeof(tbb::tick_count::clock_type)));
#if !TBB_HAS_PARALLEL_PHASE || !TBB_EXT_CUSTOM_ASSERTION_HANDLER || !__TBB_RESUMABLE_TASKS || \
    !__TBB_CPP17_DEDUCTION_GUIDES_PRESENT
#error "a feature that is there is not told"
#endif
  (void)tbb::ext::set_assertion_handler(tbb::ext::get_assertion_handler());
  std::vector<tbb::numa_node_id> const nodes = tbb::info::numa_nodes();
  std::vector<tbb::core_type_id> const types = tbb::info::core_types();
  (void)(tbb::info::default_concurrency(tbb::task_arena::constraints{}) +
         tbb::info::default_concurrency(nodes.front()) + types.front());
  std::vector<tbb::task_arena> arenas = tbb::create_numa_task_arenas(tbb::task_arena::constraints{}, 1);
  arenas.front().start_parallel_phase();
  arenas.front().end_parallel_phase();
  (void)watched().writes();
}

}  // namespace

void use_inner_names();
void use_inner_names() {
  one_entity();
  helpers();
  tools();
}
