// SPDX-License-Identifier: Apache-2.0
// What a program written for classic TBB may write with its algorithms, locks and memory, overload by overload. It
// compiles with the headers of TBB 2020 as well, so it states TBB's interface and not ours. Compiled only.
#define TBB_SUPPRESS_DEPRECATED_MESSAGES 1
#define TBB_PREVIEW_BLOCKED_RANGE_ND 1
#define TBB_PREVIEW_ISOLATED_TASK_GROUP 1
#define TBB_PREVIEW_MEMORY_POOL 1
#include <tbb/blocked_rangeNd.h>
#include <tbb/memory_pool.h>
#include <tbb/parallel_while.h>
#include <tbb/pipeline.h>
#include <tbb/scalable_allocator.h>
#include <tbb/tbb.h>

#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <vector>

namespace {

template <typename A, typename B>
constexpr bool same = std::is_same_v<A, B>;

using range = tbb::blocked_range<int>;

struct body {
  void operator()(range const&) const {}
};
struct summing {
  summing() = default;
  summing(summing&, tbb::split) {}
  void operator()(range const& r) { sum += r.size(); }
  void join(summing const& right) { sum += right.sum; }
  template <typename Tag>
  void operator()(range const& r, Tag) {
    sum += Tag::is_final_scan() ? r.size() : 0;
  }
  void reverse_join(summing& left) { sum += left.sum; }
  void assign(summing& other) { sum = other.sum; }
  std::size_t sum = 0;
};

void ranges() {
  range r(0, 100, 3), half(r, tbb::split());
  tbb::proportional_split parts(1, 2);
  range third(r, parts);
  static_assert(same<range::const_iterator, int> && same<range::size_type, std::size_t>);
  static_assert(range::is_splittable_in_proportion);
  (void)(r.begin() + r.end() + int(r.size() + r.grainsize() + parts.left() + parts.right()) + r.empty() +
         r.is_divisible());
#if TBB_INTERFACE_VERSION < 12000  // as in TBB 2020 and the classic dialect
  tbb::split plain = parts;
  (void)plain;
#endif
  tbb::blocked_range2d<int, long> two(0, 10, 0L, 10L), two_grains(0, 10, 2, 0L, 10L, 2);
  (void)(two.rows().size() + two_grains.cols().size() + two.is_divisible() + two.empty());
  static_assert(same<tbb::blocked_range2d<int, long>::row_range_type, range>);
  tbb::blocked_range3d<int> three(0, 1, 0, 1, 0, 1), three_grains(0, 1, 1, 0, 1, 1, 0, 1, 1);
  (void)(three.pages().size() + three_grains.rows().size() + three.cols().size());
  tbb::blocked_rangeNd<int, 2> nd({0, 10}, {0, 10, 2});
  (void)(tbb::blocked_rangeNd<int, 2>::ndims() + nd.dim(0).size() + nd.empty() + nd.is_divisible());
}

template <typename Partitioner>
void loops_with(Partitioner&& p) {
  tbb::task_group_context context;
  range const r(0, 10);
  summing s;
  auto const add = [](range const& part, int so_far) { return so_far + int(part.size()); };
  tbb::parallel_for(r, body(), p);
  tbb::parallel_for(r, body(), p, context);
  tbb::parallel_for(0, 10, [](int) {}, p);
  tbb::parallel_for(0, 10, 2, [](int) {}, p);
  tbb::parallel_for(0, 10, [](int) {}, p, context);
  tbb::parallel_for(0, 10, 2, [](int) {}, p, context);
  tbb::parallel_reduce(r, s, p);
  tbb::parallel_reduce(r, s, p, context);
  (void)(tbb::parallel_reduce(r, 0, add, std::plus<int>(), p) +
         tbb::parallel_reduce(r, 0, add, std::plus<int>(), p, context));
}

template <typename Partitioner>
void deterministic_with(Partitioner const& p) {
  tbb::task_group_context context;
  range const r(0, 10);
  summing s;
  auto const add = [](range const& part, int so_far) { return so_far + int(part.size()); };
  tbb::parallel_deterministic_reduce(r, s, p);
  tbb::parallel_deterministic_reduce(r, s, p, context);
  (void)(tbb::parallel_deterministic_reduce(r, 0, add, std::plus<int>(), p) +
         tbb::parallel_deterministic_reduce(r, 0, add, std::plus<int>(), p, context));
}

void loops() {
  tbb::task_group_context context, isolated(tbb::task_group_context::isolated),
      traits(tbb::task_group_context::bound,
             tbb::task_group_context::default_traits | tbb::task_group_context::fp_settings);
  range const r(0, 10);
  summing s;
  auto const add = [](range const& part, int so_far) { return so_far + int(part.size()); };
  auto const scan = [](range const& part, int so_far, bool is_final) {
    return so_far + (is_final ? int(part.size()) : 0);
  };
  tbb::affinity_partitioner affinity;
  loops_with(tbb::simple_partitioner());
  loops_with(tbb::auto_partitioner());
  loops_with(tbb::static_partitioner());
  loops_with(affinity);
  deterministic_with(tbb::simple_partitioner());
  deterministic_with(tbb::static_partitioner());
  tbb::parallel_for(r, body());
  tbb::parallel_for(r, body(), context);
  tbb::parallel_for(0, 10, [](int) {}, context);
  tbb::parallel_for(0, 10, 2, [](int) {}, isolated);
  tbb::parallel_reduce(r, s);
  tbb::parallel_reduce(r, s, context);
  tbb::parallel_deterministic_reduce(r, s);
  tbb::parallel_deterministic_reduce(r, s, traits);
  (void)(tbb::parallel_reduce(r, 0, add, std::plus<int>()) +
         tbb::parallel_reduce(r, 0, add, std::plus<int>(), context));
  (void)(tbb::parallel_deterministic_reduce(r, 0, add, std::plus<int>()));
  tbb::parallel_scan(r, s);
  tbb::parallel_scan(r, s, tbb::auto_partitioner());
  tbb::parallel_scan(r, s, tbb::simple_partitioner());
  (void)(tbb::parallel_scan(r, 0, scan, std::plus<int>()) +
         tbb::parallel_scan(r, 0, scan, std::plus<int>(), tbb::simple_partitioner()) +
         tbb::parallel_scan(r, 0, scan, std::plus<int>(), tbb::auto_partitioner()));
  tbb::strict_ppl::parallel_for(0, 3, [](int) {});
}

struct stream {
  bool pop_if_present(int& item) { return left_-- > 0 && (item = left_, true); }
  int left_ = 3;
};
struct item_body {
  typedef int argument_type;
  void operator()(int) const {}
};

void items() {
  tbb::task_group_context context;
  std::vector<int> v{3, 1, 2};
  std::vector<int> const fixed{1, 2};
  tbb::parallel_for_each(v.begin(), v.end(), [](int&) {});
  tbb::parallel_for_each(v.begin(), v.end(), [](int&) {}, context);
  tbb::parallel_for_each(fixed, [](int) {});
  tbb::parallel_for_each(v, [](int) {}, context);
  tbb::parallel_do(v.begin(), v.end(), [](int& i, tbb::parallel_do_feeder<int>& more) { more.add(i); });
  tbb::parallel_do(v.begin(), v.end(), [](int) {}, context);
  tbb::parallel_do(v, [](int) {}, context);
  tbb::parallel_do(fixed, item_body());
  tbb::parallel_while<item_body> loop;
  stream source;
  item_body const each;
  loop.run(source, each);
  loop.add(3);
  tbb::parallel_sort(v.begin(), v.end());
  tbb::parallel_sort(v.begin(), v.end(), std::greater<int>());
  tbb::parallel_sort(v.data(), v.data() + 2);
  tbb::parallel_sort(v);
  tbb::parallel_sort(v, std::greater<int>());
  auto const f = [] {};
  tbb::parallel_invoke(f, f);
  tbb::parallel_invoke(f, f, f, f, f, f, f, f, f, f);
  tbb::parallel_invoke(f, f, context);
  tbb::parallel_invoke(f, f, f, f, f, f, f, f, f, f, context);
  tbb::zip_iterator<int*, std::vector<int>::iterator> both = tbb::make_zip_iterator(v.data(), v.begin());
  (void)(std::get<0>(both[0]) + int(both - both) + (both < both));
  auto twice = tbb::make_transform_iterator(v.begin(), [](int i) { return 2 * i; });
  (void)(*twice + twice[1]);
  tbb::counting_iterator<long> count(3), later = count + 2;
  (void)(later - count + *later + count[1] + (count != later));
}

void typed_pipelines() {
  tbb::task_group_context context;
  auto const first = tbb::make_filter<void, int>(tbb::filter::serial_out_of_order, [](tbb::flow_control& control) {
    control.stop();
    return 1;
  });
  tbb::filter_t<int, double> middle(tbb::filter::parallel, [](int i) { return i * 0.5; });
  tbb::filter_t<double, void> last;
  last = tbb::make_filter<double, void>(tbb::filter::serial_in_order, [](double) {});
  tbb::filter_t<void, void> const all = first & middle & last;
  tbb::parallel_pipeline(4, all);
  tbb::parallel_pipeline(4, all, context);
  middle.clear();
}

struct steps : tbb::task {
  tbb::task* execute() override {
    tbb::task& child = *new (tbb::task::allocate_additional_child_of(*this)) tbb::empty_task;
    (void)(is_enqueued_task() || is_owned_by_current_thread());
    change_group(context_);
    set_parent(parent());
    add_ref_count(1);
    spawn(child);
    tbb::task_list list;
    list.push_back(*new (allocate_child()) tbb::empty_task);
    (void)list.empty();
    list.pop_front().set_affinity(affinity());
    list.clear();
    spawn_and_wait_for_all(list);
    recycle_as_continuation();
    recycle_as_safe_continuation();
    recycle_to_reexecute();
    set_group_priority(tbb::priority_normal);
    return group_priority() == tbb::priority_low ? this : nullptr;
  }
  void note_affinity(affinity_id id) override { set_affinity(id); }
  tbb::task_group_context context_;
};

void tasks() {
  tbb::task_list roots;
  roots.push_back(*new (tbb::task::allocate_root()) steps);
  tbb::task::spawn_root_and_wait(roots);
  tbb::task_arena arena;
  tbb::task::enqueue(*new (tbb::task::allocate_root()) tbb::empty_task, arena);
  tbb::task::enqueue(*new (tbb::task::allocate_root()) tbb::empty_task, arena, tbb::priority_low);
  tbb::task_arena attached{tbb::task_arena::attach()}, copy(arena);
  arena.initialize(2);
  arena.initialize(2, 1);
  arena.terminate();
  (void)(arena.is_active() + arena.max_concurrency() + arena.execute([] { return 3; }) +
         int(tbb::task_arena::not_initialized));
  (void)(tbb::this_task_arena::current_thread_index() + tbb::this_task_arena::max_concurrency() +
         tbb::this_task_arena::isolate([] { return 1; }));
  (void)tbb::global_control::active_value(tbb::global_control::thread_stack_size);
  tbb::task_group group;
  group.run_and_wait([] {});
#if TBB_INTERFACE_VERSION < 12000
  tbb::task_handle<void (*)()> handle(+[] {});
  group.run(handle);
  group.run_and_wait(handle);
#endif
  group.cancel();
  (void)(group.wait() == tbb::canceled || tbb::is_current_task_group_canceling());
  tbb::isolated_task_group alone;
  alone.run_and_wait([] {});
  (void)((tbb::tick_count::now() - tbb::tick_count::now()).seconds() + tbb::tick_count::resolution());
}

template <typename Mutex>
void lock_with(Mutex& m) {
  typename Mutex::scoped_lock empty, lock(m);
  lock.release();
  lock.acquire(m);
  lock.release();
  if (empty.try_acquire(m)) empty.release();
  static_assert(Mutex::is_rw_mutex || Mutex::is_recursive_mutex || Mutex::is_fair_mutex || true);
}
template <typename Mutex>
void read_write(Mutex& m) {
  typename Mutex::scoped_lock empty, lock(m, false);
  (void)(lock.upgrade_to_writer() && lock.downgrade_to_reader());
  lock.release();
  lock.acquire(m, false);
  lock.release();
  (void)empty.try_acquire(m, false);
}

void locks() {
  tbb::spin_mutex spin;
  tbb::queuing_mutex queuing;
  tbb::mutex plain;
  tbb::recursive_mutex recursive;
  tbb::null_mutex none;
  tbb::speculative_spin_mutex speculative;
  tbb::spin_rw_mutex spin_rw;
  tbb::queuing_rw_mutex queuing_rw;
  tbb::null_rw_mutex none_rw;
  lock_with(spin);
  lock_with(queuing);
  lock_with(plain);
  lock_with(recursive);
  lock_with(none);
  lock_with(speculative);
  read_write(spin_rw);
  read_write(queuing_rw);
  read_write(none_rw);
  (void)(spin.try_lock() + plain.try_lock() + recursive.try_lock() + spin_rw.try_lock() + spin_rw.try_lock_read());
  spin.unlock();
  spin_rw.lock_read();
  spin_rw.unlock();
}

template <typename Allocator>
void allocate_with(Allocator a) {
  using other = typename std::allocator_traits<Allocator>::template rebind_alloc<double>;
  other converted(a);
  int* const memory = a.allocate(4);
  a.deallocate(memory, 4);
  (void)(a == Allocator(a) && a.max_size() > 0);
}

void memory() {
  allocate_with(tbb::tbb_allocator<int>());
  allocate_with(tbb::cache_aligned_allocator<int>());
  allocate_with(tbb::scalable_allocator<int>());
  allocate_with(tbb::zero_allocator<int, tbb::tbb_allocator>());
  (void)(tbb::tbb_allocator<int>::allocator_type() == tbb::tbb_allocator<int>::scalable);
  void* p = scalable_malloc(8);
  p = scalable_realloc(p, 16);
  (void)scalable_msize(p);
  scalable_free(p);
  p = scalable_calloc(2, 4);
  scalable_free(p);
  if (scalable_posix_memalign(&p, 64, 8) == 0) scalable_free(p);
  p = scalable_aligned_malloc(8, 64);
  p = scalable_aligned_realloc(p, 16, 64);
  scalable_aligned_free(p);
  (void)(scalable_allocation_mode(TBBMALLOC_SET_SOFT_HEAP_LIMIT, 0) == TBBMALLOC_OK ||
         scalable_allocation_mode(TBBMALLOC_USE_HUGE_PAGES, 0) == TBBMALLOC_NO_EFFECT ||
         TBBMALLOC_SET_HUGE_SIZE_THRESHOLD == 0);
  (void)(scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS, nullptr) == TBBMALLOC_INVALID_PARAM ||
         scalable_allocation_command(TBBMALLOC_CLEAN_THREAD_BUFFERS, nullptr) == TBBMALLOC_UNSUPPORTED ||
         TBBMALLOC_NO_MEMORY == 0);
  alignas(64) static char buffer[4096];
  tbb::fixed_pool fixed(buffer, sizeof buffer);
  tbb::memory_pool<std::allocator<char>> pool;
  tbb::memory_pool_allocator<int> from_pool(pool), from_fixed(fixed);
  from_pool.deallocate(from_pool.allocate(1), 1);
  void* const q = pool.malloc(10);
  pool.free(pool.realloc(q, 20));
  pool.recycle();
  rml::MemPoolPolicy const policy([](std::intptr_t, std::size_t& bytes) -> void* { return scalable_malloc(bytes); },
                                  [](std::intptr_t, void* old, std::size_t) -> int { return scalable_free(old), 0; });
  rml::MemoryPool* made = nullptr;
  if (rml::pool_create_v1(0, &policy, &made) == rml::POOL_OK) {
    void* r = rml::pool_aligned_malloc(made, 10, 64);
    r = rml::pool_aligned_realloc(made, r, 20, 64);
    r = rml::pool_realloc(made, r, 30);
    (void)(rml::pool_identify(r) == made && rml::pool_msize(made, r) >= 30);
    (void)(rml::pool_free(made, r) && rml::pool_malloc(made, 1) && rml::pool_reset(made) && rml::pool_destroy(made));
  }
}

}  // namespace

void use_classic_algorithms();
void use_classic_algorithms() {
  ranges();
  loops();
  items();
  typed_pipelines();
  tasks();
  locks();
  memory();
}
