// SPDX-License-Identifier: Apache-2.0
// What a program written for classic TBB may write, beyond what oneTBB kept: tasks, pipelines, atomics, threads,
// exceptions, locks. It compiles with the headers of TBB 2020 as well, so it states TBB's interface and not ours.
// Compiled only.
#define TBB_SUPPRESS_DEPRECATED_MESSAGES 1
#define TBB_PREVIEW_AGGREGATOR 1
#define TBB_PREVIEW_MEMORY_POOL 1
#define TBB_PREVIEW_LOCAL_OBSERVER 1
#define TBB_PREVIEW_GLOBAL_CONTROL 1
#include <tbb/aggregator.h>
#include <tbb/compat/ppl.h>
#include <tbb/pipeline.h>
#include <tbb/tbb.h>
#include <tbb/compat/condition_variable>
#include <tbb/compat/thread>

#include <functional>
#include <type_traits>
#include <vector>

namespace {

struct fib : tbb::task {
  fib(int n, long* sum) : n_(n), sum_(sum) {}
  tbb::task* execute() override {
    if (n_ < 2) return nullptr;
    long a = 0, b = 0;
    fib& left = *new (allocate_child()) fib(n_ - 1, &a);
    fib& right = *new (allocate_child()) fib(n_ - 2, &b);
    set_ref_count(3);
    spawn(left);
    spawn_and_wait_for_all(right);
    *sum_ = a + b;
    return nullptr;
  }
  int n_;
  long* sum_;
};
struct recycled : tbb::task {
  tbb::task* execute() override {
    tbb::empty_task& next = *new (allocate_continuation()) tbb::empty_task;
    next.set_ref_count(1);
    recycle_as_child_of(next);
    return tasks_++ == 0 ? this : nullptr;
  }
  int tasks_ = 0;
};

void tasks() {
  tbb::task_scheduler_init init(2), later(tbb::task_scheduler_init::deferred);
  later.initialize(tbb::task_scheduler_init::automatic);
  (void)(tbb::task_scheduler_init::default_num_threads() + init.is_active());
  later.terminate();
  long sum = 0;
  tbb::task::spawn_root_and_wait(*new (tbb::task::allocate_root()) fib(5, &sum));
  tbb::task_group_context context;
  tbb::empty_task& root = *new (tbb::task::allocate_root(context)) tbb::empty_task;
  root.set_ref_count(2);
  root.increment_ref_count();
  (void)(root.decrement_ref_count() + root.ref_count());
  tbb::task_list list;
  list.push_back(*new (root.allocate_child()) tbb::empty_task);
  (void)list.empty();
  root.spawn(list);
  root.wait_for_all();
  (void)(root.state() == tbb::task::allocated || root.is_cancelled() || root.cancel_group_execution() ||
         root.is_stolen_task());
  (void)(root.parent() || root.context() || root.group());
  root.set_affinity(tbb::task::affinity_id(1));
  tbb::task::enqueue(*new (tbb::task::allocate_root()) tbb::empty_task);
  tbb::task::enqueue(*new (tbb::task::allocate_root()) tbb::empty_task, tbb::priority_high);
  (void)(&tbb::task::self() == nullptr);
  tbb::task::destroy(root);
  tbb::structured_task_group group;
  auto handle = tbb::make_task([] {});
  group.run(handle);
  group.wait();
  static_assert(std::is_base_of_v<tbb::task, recycled>);
}

struct stage : tbb::filter {
  stage() : tbb::filter(tbb::filter::serial_in_order) {}
  void* operator()(void*) override { return nullptr; }
};
struct bound : tbb::thread_bound_filter {
  bound() : tbb::thread_bound_filter(serial_in_order) {}
  void* operator()(void*) override { return nullptr; }
};
struct last_stage : tbb::filter {
  last_stage() : tbb::filter(/*is_serial=*/true) {}
  void* operator()(void* item) override { return item; }
  void finalize(void*) override {}
};

void pipelines() {
  stage first;
  last_stage last;
  tbb::pipeline line;
  line.add_filter(first);
  line.add_filter(last);
  line.run(4);
  line.clear();
  (void)(first.is_serial() + first.is_ordered() + first.is_bound());
  static_assert(std::is_base_of_v<tbb::filter, bound>);
  tbb::filter_t<void, int> a(tbb::filter::serial, [](tbb::flow_control& control) {
    control.stop();
    return 0;
  });
  tbb::parallel_pipeline(2, a & tbb::make_filter<int, void>(tbb::filter::parallel, [](int) {}));
}

void loops() {
  std::vector<int> v{1, 2};
  tbb::parallel_do(v.begin(), v.end(), [](int) {});
  tbb::parallel_do(v, [](int, tbb::parallel_do_feeder<int>& feeder) { feeder.add(1); });
  tbb::parallel_for_each(v, [](int&) {});
  tbb::parallel_for(tbb::blocked_range<int>(0, 9, 2), [](tbb::blocked_range<int> const&) {});
  tbb::zip_iterator<int*, int*> both(v.data(), v.data());
  (void)(*both);
  tbb::counting_iterator<int> count(3);
  (void)*++count;
}

void atomics() {
  tbb::atomic<int> a;
  a = 1;
  (void)(a.fetch_and_add(2) + a.fetch_and_store(3) + a.compare_and_swap(4, 3) + a.fetch_and_increment() +
         a.fetch_and_decrement());
  (void)(++a + a++ + (a += 2) + (a -= 1) + a.load<tbb::acquire>());
  a.store<tbb::release>(5);
  (void)(a.fetch_and_add<tbb::relaxed>(1) + a.compare_and_swap<tbb::full_fence>(1, 2));
  tbb::atomic<void*> pointer;
  pointer = nullptr;
  tbb::atomic<bool> flag = tbb::make_atomic(true);
  (void)(flag && !pointer);
}

void threads() {
  tbb::tbb_thread t([] {}), none;
  (void)(t.joinable() && t.get_id() != none.get_id() && tbb::this_tbb_thread::get_id() == t.get_id());
  t.join();
  tbb::this_tbb_thread::yield();
  tbb::this_tbb_thread::sleep(tbb::tick_count::interval_t(0.0));
  (void)tbb::tbb_thread::hardware_concurrency();
}

void locks() {
  tbb::mutex m;
  (void)sizeof(tbb::mutex::scoped_lock);
  m.lock();
  m.unlock();
  tbb::recursive_mutex again;
  tbb::recursive_mutex::scoped_lock one(again), two(again);
  tbb::reader_writer_lock rw;
  {
    tbb::reader_writer_lock::scoped_lock_read reading(rw);
  }
  {
    tbb::reader_writer_lock::scoped_lock writing(rw);
  }
  (void)(rw.try_lock() || rw.try_lock_read());
  tbb::critical_section section;
  tbb::critical_section::scoped_lock entered(section);
  Concurrency::critical_section other;
  (void)other.try_lock();
  tbb::aggregator together;
  together.execute([] {});
}

void exceptions() {
  try {
    throw tbb::captured_exception("name", "what");
  } catch (tbb::tbb_exception& e) {
    (void)(e.name() == e.what());
  }
  static_assert(std::is_base_of_v<tbb::tbb_exception, tbb::movable_exception<int>>);
  static_assert(std::is_base_of_v<std::exception, tbb::improper_lock> &&
                std::is_base_of_v<std::exception, tbb::invalid_multiple_scheduling>);
  tbb::aligned_space<double, 3> space;
  (void)(space.begin() == space.end());
  tbb::zero_allocator<int> zeroing;
  zeroing.deallocate(zeroing.allocate(2), 2);
  static_assert(TBB_VERSION_MAJOR >= 2020 && TBB_INTERFACE_VERSION > 11000 && TBB_INTERFACE_VERSION_MAJOR >= 11);
}

struct watching : tbb::task_scheduler_observer {
  watching() : tbb::task_scheduler_observer(true) {}
  void on_scheduler_entry(bool) override {}
  void on_scheduler_exit(bool) override {}
};

void arenas() {
  tbb::task_arena arena(2, 1);
  arena.enqueue([] {});
  arena.enqueue([] {}, tbb::priority_high);
  arena.execute([] {});
  watching watch;
  watch.observe();
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 2);
  tbb::task_group group;
  group.run([] {});
  (void)(group.wait() == tbb::complete || group.is_canceling());
  tbb::task_group_context context;
  context.set_priority(tbb::priority_low);
  (void)(context.priority() == tbb::priority_low);
}

template <typename A, typename B>
constexpr bool same = std::is_same_v<A, B>;

// Names below classic TBB's public surface: namespaces of versions and tbb::internal.
void inner_names() {
  static_assert(same<tbb::interface7::task_arena, tbb::task_arena> &&
                same<tbb::interface9::global_control, tbb::global_control>);
  static_assert(same<tbb::interface6::task_scheduler_observer, tbb::task_scheduler_observer>);
  static_assert(same<tbb::interface5::concurrent_hash_map<int, int>, tbb::concurrent_hash_map<int, int>>);
  static_assert(same<tbb::interface5::concurrent_unordered_set<int>, tbb::concurrent_unordered_set<int>>);
  static_assert(same<tbb::interface5::concurrent_priority_queue<int>, tbb::concurrent_priority_queue<int>>);
  static_assert(same<tbb::interface6::enumerable_thread_specific<int>, tbb::enumerable_thread_specific<int>>);
  static_assert(same<tbb::interface6::filter_t<int, int>, tbb::filter_t<int, int>> &&
                same<tbb::interface6::aggregator, tbb::aggregator>);
  static_assert(same<tbb::interface5::reader_writer_lock, tbb::reader_writer_lock>);
  static_assert(std::is_base_of_v<tbb::internal::task_scheduler_observer_v3, watching>);
  tbb::internal::atomic_backoff backoff;
  backoff.pause();
  (void)backoff.bounded_pause();
  int word = 1;
  tbb::atomic<int> shared;
  shared = 1;
  tbb::internal::spin_wait_until_eq(word, 1);
  tbb::internal::spin_wait_while_eq(shared, 0);
  void* const memory = tbb::internal::NFS_Allocate(1, 2, nullptr);
  tbb::internal::NFS_Free(memory);
  void* const handled = tbb::internal::allocate_via_handler_v3(8);
  tbb::internal::deallocate_via_handler_v3(handled);
  (void)(tbb::internal::NFS_GetLineSize() + tbb::internal::is_malloc_used_v3() +
         sizeof(tbb::internal::allocate_root_with_context_proxy));
  if (word == 2) tbb::internal::throw_exception(tbb::internal::eid_bad_last_alloc);
  __TBB_Yield();
  __TBB_Pause(1);
  (void)(__TBB_load_with_acquire(word) + __TBB_Log2(8));
  __TBB_store_with_release(word, 2);
  tbb::strict_ppl::concurrent_queue<int> queue;
  tbb::strict_ppl::parallel_for(0, 1, [](int) {});
  (void)queue.empty();
}

}  // namespace

void use_classic();
void use_classic() {
  tasks();
  pipelines();
  loops();
  atomics();
  threads();
  locks();
  exceptions();
  arenas();
  inner_names();
}
