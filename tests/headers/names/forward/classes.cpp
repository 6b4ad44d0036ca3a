// SPDX-License-Identifier: Apache-2.0
// Classes of classic TBB that a program declares itself, where TBB 2020 keeps them, before it includes a header: what
// is said of the declared class is then true of TBB's. Compiled only, with TBB 2020's headers and in the classic
// dialect.
namespace tbb {
class affinity_partitioner;
class captured_exception;
class pipeline;
class queuing_mutex;
class queuing_rw_mutex;
class recursive_mutex;
class spin_mutex;
class task;
class task_group;
class task_group_context;
class task_list;
class task_scheduler_init;
class tick_count;
template <typename T>
class blocked_range;
template <typename RowValue, typename ColValue>
class blocked_range2d;
template <typename T>
class combinable;
template <typename T>
class scalable_allocator;
template <typename T>
class tbb_allocator;
template <typename T, typename A>
class concurrent_vector;
namespace interface5 {
template <typename Key, typename T, typename HashCompare, typename A>
class concurrent_hash_map;
template <typename T, typename Compare, typename A>
class concurrent_priority_queue;
template <typename Key, typename T, typename Hash, typename Equal, typename A>
class concurrent_unordered_map;
template <typename Key, typename T, typename Hash, typename Equal, typename A>
class concurrent_unordered_multimap;
template <typename Key, typename Hash, typename Equal, typename A>
class concurrent_unordered_multiset;
template <typename Key, typename Hash, typename Equal, typename A>
class concurrent_unordered_set;
class condition_variable;
class reader_writer_lock;
}  // namespace interface5
namespace interface6 {
class aggregator;
class aggregator_operation;
template <typename Handler>
class aggregator_ext;
template <typename Key, typename Value, typename Function>
class concurrent_lru_cache;
template <typename Container>
class flattened2d;
template <typename In, typename Out>
class filter_t;
class fixed_pool;
template <typename A>
class memory_pool;
template <typename T, typename Pool>
class memory_pool_allocator;
class runtime_loader;
class task_scheduler_observer;
}  // namespace interface6
namespace interface7 {
class task_arena;
}
namespace interface9 {
class global_control;
template <typename Item>
class parallel_do_feeder;
}  // namespace interface9
namespace interface10 {
template <typename Key, typename T, typename Compare, typename A>
class concurrent_map;
template <typename Key, typename T, typename Compare, typename A>
class concurrent_multimap;
template <typename Key, typename Compare, typename A>
class concurrent_multiset;
template <typename Key, typename Compare, typename A>
class concurrent_set;
}  // namespace interface10
}  // namespace tbb

struct holder {
  tbb::interface7::task_arena* arena;
  tbb::interface9::global_control* control;
  tbb::interface6::task_scheduler_observer* observer;
};
void lock(tbb::interface5::reader_writer_lock& l);
template <typename K, typename T, typename H, typename A>
long count(tbb::interface5::concurrent_hash_map<K, T, H, A> const& m);
template <typename T, typename C, typename A>
void fill(tbb::interface5::concurrent_priority_queue<T, C, A>& q);
template <typename T>
void add(T item, tbb::interface9::parallel_do_feeder<T>& more);

#define TBB_SUPPRESS_DEPRECATED_MESSAGES 1
#define TBB_PREVIEW_AGGREGATOR 1
#define TBB_PREVIEW_CONCURRENT_LRU_CACHE 1
#define TBB_PREVIEW_CONCURRENT_ORDERED_CONTAINERS 1
#define TBB_PREVIEW_GLOBAL_CONTROL 1
#define TBB_PREVIEW_LOCAL_OBSERVER 1
#define TBB_PREVIEW_MEMORY_POOL 1
#define TBB_PREVIEW_RUNTIME_LOADER 1
#include <tbb/aggregator.h>
#include <tbb/concurrent_lru_cache.h>
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_set.h>
#include <tbb/global_control.h>
#include <tbb/memory_pool.h>
#include <tbb/runtime_loader.h>
#include <tbb/task_arena.h>
#include <tbb/tbb.h>
#include <tbb/compat/condition_variable>

#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#define SAME(home, ...) static_assert(std::is_same<tbb::home::__VA_ARGS__, tbb::__VA_ARGS__>::value, "one class")
SAME(interface5, concurrent_hash_map<int, int>);
SAME(interface5, concurrent_priority_queue<int>);
SAME(interface5, concurrent_unordered_map<int, int>);
SAME(interface5, concurrent_unordered_multimap<int, int>);
SAME(interface5, concurrent_unordered_multiset<int>);
SAME(interface5, concurrent_unordered_set<int>);
SAME(interface5, reader_writer_lock);
SAME(interface6, aggregator);
SAME(interface6, aggregator_ext<void (*)(tbb::aggregator_operation*)>);
SAME(interface6, aggregator_operation);
SAME(interface6, concurrent_lru_cache<int, int>);
SAME(interface6, enumerable_thread_specific<int>);
SAME(interface6, filter_t<int, int>);
SAME(interface6, fixed_pool);
SAME(interface6, flattened2d<tbb::enumerable_thread_specific<std::vector<int>>>);
SAME(interface6, memory_pool<std::allocator<char>>);
SAME(interface6, memory_pool_allocator<int>);
SAME(interface6, runtime_loader);
SAME(interface6, task_scheduler_observer);
SAME(interface7, task_arena);
SAME(interface9, global_control);
SAME(interface9, parallel_do_feeder<int>);
SAME(interface10, concurrent_map<int, int>);
SAME(interface10, concurrent_multimap<int, int>);
SAME(interface10, concurrent_multiset<int>);
SAME(interface10, concurrent_set<int>);

void lock(tbb::interface5::reader_writer_lock& l) { l.lock(); }
template <typename K, typename T, typename H, typename A>
long count(tbb::interface5::concurrent_hash_map<K, T, H, A> const& m) {
  return long(m.size());
}
template <typename T, typename C, typename A>
void fill(tbb::interface5::concurrent_priority_queue<T, C, A>& q) {
  q.push(T());
}
template <typename T>
void add(T item, tbb::interface9::parallel_do_feeder<T>& more) {
  if (item > 0) more.add(item - 1);
}

struct body {
  void operator()(int item, tbb::parallel_do_feeder<int>& more) const { add(item, more); }
};
class told : public tbb::task_scheduler_observer {
 public:
  void on_scheduler_entry(bool) override {}
};

int main() {
  tbb::task_arena arena(2);
  tbb::global_control control(tbb::global_control::max_allowed_parallelism, 2);
  told observer;
  holder all = {&arena, &control, &observer};
  all.arena->execute([] {});
  tbb::concurrent_hash_map<int, int> m, n;
  swap(m, n);
  bool const equal = m == n;
  tbb::concurrent_priority_queue<int> q;
  fill(q);
  std::vector<int> items(1, 3);
  tbb::parallel_do(items.begin(), items.end(), body());
  tbb::enumerable_thread_specific<std::vector<int>> ets;
  long in_ets = 0;
  for (int i : tbb::flatten2d(ets)) in_ets += i;
  tbb::reader_writer_lock l;
  lock(l);
  tbb::filter_t<void, void> f = tbb::make_filter<void, int>(tbb::filter::serial,
                                                            [](tbb::flow_control& c) {
                                                              c.stop();
                                                              return 1;
                                                            }) &
                                tbb::make_filter<int, void>(tbb::filter::serial, [](int) {});
  tbb::parallel_pipeline(1, f);
  return int(count(m)) + equal + int(in_ets);
}
