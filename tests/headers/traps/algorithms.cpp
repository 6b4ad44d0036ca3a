// SPDX-License-Identifier: Apache-2.0
// Algorithms, tasks and arenas with the program's bodies, ranges, iterators and values (traps.py).
#define TBB_PREVIEW_BLOCKED_RANGE_ND 1
#define TBB_PREVIEW_ISOLATED_TASK_GROUP 1
#define TBB_PREVIEW_TASK_GROUP_EXTENSIONS 1
#include "program.h"

#include <tbb/collaborative_call_once.h>
#include <tbb/tbb.h>

#include <iterator>
#include <list>
#include <vector>

namespace program {

/// A range of the program's own.
struct my_range {
  int from = 0;
  int to = 0;
  my_range(int a, int b) : from(a), to(b) {}
  my_range(my_range& r, tbb::split) : from((r.from + r.to) / 2), to(r.to) { r.to = from; }
  my_range(my_range& r, tbb::proportional_split&) : my_range(r, tbb::split()) {}
  bool empty() const { return from == to; }
  bool is_divisible() const { return to - from > 1; }
};
/// An index that is not an integer.
struct my_index {
  long at = 0;
  my_index(long a = 0) : at(a) {}  // NOLINT: implicit
  friend bool operator<(my_index a, my_index b) { return a.at < b.at; }
  friend bool operator<=(my_index a, my_index b) { return a.at <= b.at; }
  friend long operator-(my_index a, my_index b) { return a.at - b.at; }
  friend my_index operator+(my_index a, long n) { return {a.at + n}; }
  friend my_index operator+(my_index a, my_index b) { return {a.at + b.at}; }
  friend my_index operator*(my_index a, my_index b) { return {a.at * b.at}; }
  friend my_index operator/(my_index a, my_index b) { return {a.at / b.at}; }
  my_index& operator+=(my_index b) { return at += b.at, *this; }
  my_index& operator++() { return ++at, *this; }
  explicit operator std::size_t() const { return static_cast<std::size_t>(at); }
};
/// An iterator of the program's; `Tag` says how it moves.
template <typename Tag>
struct my_iterator {
  using iterator_category = Tag;
  using value_type = my_item;
  using difference_type = std::ptrdiff_t;
  using pointer = my_item*;
  using reference = my_item&;
  my_item* at = nullptr;
  reference operator*() const { return *at; }
  pointer operator->() const { return at; }
  reference operator[](difference_type n) const { return at[n]; }
  my_iterator& operator++() { return ++at, *this; }
  my_iterator operator++(int) { return {at++}; }
  my_iterator& operator--() { return --at, *this; }
  my_iterator operator--(int) { return {at--}; }
  my_iterator& operator+=(difference_type n) { return at += n, *this; }
  my_iterator& operator-=(difference_type n) { return at -= n, *this; }
  friend my_iterator operator+(my_iterator i, difference_type n) { return {i.at + n}; }
  friend my_iterator operator-(my_iterator i, difference_type n) { return {i.at - n}; }
  friend difference_type operator-(my_iterator a, my_iterator b) { return a.at - b.at; }
  friend bool operator==(my_iterator a, my_iterator b) { return a.at == b.at; }
  friend bool operator!=(my_iterator a, my_iterator b) { return a.at != b.at; }
  friend bool operator<(my_iterator a, my_iterator b) { return a.at < b.at; }
  friend bool operator>(my_iterator a, my_iterator b) { return a.at > b.at; }
  friend bool operator<=(my_iterator a, my_iterator b) { return a.at <= b.at; }
  friend bool operator>=(my_iterator a, my_iterator b) { return a.at >= b.at; }
};
using random_iterator = my_iterator<std::random_access_iterator_tag>;
using forward_iterator = my_iterator<std::forward_iterator_tag>;
using input_iterator = my_iterator<std::input_iterator_tag>;

struct my_container {
  std::vector<my_item> items;
  auto begin() { return items.begin(); }
  auto end() { return items.end(); }
  auto begin() const { return items.begin(); }
  auto end() const { return items.end(); }
};
struct my_sum {
  my_item sum;
  my_sum() = default;
  my_sum(my_sum&, tbb::split) {}
  template <typename Range>
  void operator()(Range const&) {
    sum.value++;
  }
  template <typename Range, typename Tag>
  void operator()(Range const&, Tag) {
    sum.value++;
  }
  void join(my_sum& o) { sum.value += o.sum.value; }
  void reverse_join(my_sum& o) { join(o); }
  void assign(my_sum& o) { sum = o.sum; }
};

}  // namespace program

using namespace program;
template <typename Range, typename... Last>
void over_range(Range const& r, Last&&... last) {
  auto const body = my_body([](Range const&) {});
  auto const reduce = my_body([](Range const&, my_item const& i) { return i; });
  auto const join = my_body([](my_item const& a, my_item const& b) { return a + b; });
  my_sum sum;
  tbb::parallel_for(r, body, last...);
  tbb::parallel_reduce(r, sum, last...);
  tbb::parallel_reduce(r, my_item(), reduce, join, last...);
}
void ranges() {
  tbb::task_group_context c;
  tbb::affinity_partitioner affinity;
  over_range(tbb::blocked_range<int>(0, 10));
  over_range(my_range(0, 10));
  over_range(my_range(0, 10), tbb::simple_partitioner(), c);
  over_range(my_range(0, 10), tbb::auto_partitioner(), c);
  over_range(my_range(0, 10), tbb::static_partitioner(), c);
  over_range(my_range(0, 10), affinity, c);
  over_range(my_range(0, 10), c);
  over_range(tbb::blocked_range<my_index>(0, 10));
  over_range(tbb::blocked_range2d<my_index>(0, 10, 0, 10));
  over_range(tbb::blocked_range3d<my_index>(0, 10, 0, 10, 0, 10));
  over_range(tbb::blocked_rangeNd<my_index, 2>({0, 10}, {0, 10}));
  std::vector<my_item> items(10);
  over_range(tbb::blocked_range<random_iterator>({items.data()}, {items.data() + 10}));
  my_sum sum;
  auto const reduce = my_body([](my_range const&, my_item const& i) { return i; });
  auto const join = my_body([](my_item const& a, my_item const& b) { return a + b; });
  tbb::parallel_deterministic_reduce(my_range(0, 10), sum);
  tbb::parallel_deterministic_reduce(my_range(0, 10), sum, tbb::static_partitioner(), c);
  tbb::parallel_deterministic_reduce(my_range(0, 10), my_item(), reduce, join);
  tbb::parallel_deterministic_reduce(my_range(0, 10), my_item(), reduce, join, tbb::static_partitioner(), c);
  tbb::parallel_scan(my_range(0, 10), sum);
  tbb::parallel_scan(my_range(0, 10), sum, tbb::auto_partitioner());
  tbb::parallel_scan(my_range(0, 10), my_item(), my_body([](my_range const&, my_item const& i, bool) { return i; }),
                     join);
}
void loops() {
  tbb::task_group_context c;
  tbb::affinity_partitioner affinity;
  auto const body = my_body([](my_index) {});
  tbb::parallel_for(my_index(0), my_index(10), body);
  tbb::parallel_for(my_index(0), my_index(10), my_index(2), body);
  tbb::parallel_for(my_index(0), my_index(10), body, tbb::simple_partitioner(), c);
  tbb::parallel_for(my_index(0), my_index(10), my_index(2), body, affinity);
  tbb::parallel_for(0, 10, my_body([](int) {}), tbb::static_partitioner());
  tbb::parallel_for(0, 10, my_body([](int) {}), c);
}
void items() {
  std::vector<my_item> v(10);
  std::list<my_item> list(v.begin(), v.end());
  my_container container{v};
  my_container const constant{v};
  tbb::task_group_context c;
  auto const body = my_body([](my_item const&) {});
  auto const feeding = my_body([](my_item const& i, tbb::feeder<my_item>& f) {
    f.add(i);
    f.add(my_item(1));
  });
  auto const over = [&](auto first, auto last) {
    tbb::parallel_for_each(first, last, body);
    tbb::parallel_for_each(first, last, feeding, c);
  };
  over(random_iterator{v.data()}, random_iterator{v.data() + 10});
  over(forward_iterator{v.data()}, forward_iterator{v.data() + 10});
  over(input_iterator{v.data()}, input_iterator{v.data() + 10});
  over(list.begin(), list.end());
  tbb::parallel_for_each(container, body);
  tbb::parallel_for_each(constant, body, c);
  tbb::parallel_sort(random_iterator{v.data()}, random_iterator{v.data() + 10});
  tbb::parallel_sort(random_iterator{v.data()}, random_iterator{v.data() + 10}, my_less());
  tbb::parallel_sort(container);
  tbb::parallel_sort(container, my_less());
  tbb::parallel_sort(v);
#if ASHLAR_CLASSIC_DIALECT
  tbb::parallel_do(list.begin(), list.end(), feeding);
  tbb::parallel_do(container, body);
#endif
}

my_item tasks() {
  auto const body = my_body([] {});
  auto const value = my_body([] { return my_item(3); });
  tbb::parallel_invoke(body, body, body, body);
  tbb::task_group group;
  group.run(body);
  group.run_and_wait(body);
  tbb::isolated_task_group isolated;
  isolated.run(body);
  isolated.run_and_wait(body);
  tbb::task_arena arena(2);
  arena.execute(body);
  arena.enqueue(body);
  tbb::this_task_arena::enqueue(body);
  tbb::this_task_arena::isolate(body);
  tbb::collaborative_once_flag flag;
  tbb::collaborative_call_once(flag, body);
  tbb::collaborative_call_once(flag, my_body([](my_item const&) {}), my_item(1));
#if !ASHLAR_CLASSIC_DIALECT
  auto handle = group.defer(body);
  auto later = group.defer(my_body([] { return tbb::task_handle(); }));
  tbb::task_group::set_task_order(handle, later);
  group.run(std::move(handle));
  arena.enqueue(std::move(later));
  arena.enqueue(body, group);
  tbb::task::suspend(my_body([](tbb::task::suspend_point p) { tbb::task::resume(p); }));
#endif
  return arena.execute(value) + tbb::this_task_arena::isolate(value);
}

void pipelines() {
#if ASHLAR_CLASSIC_DIALECT
  auto const in_order = tbb::filter::serial_in_order;
  auto const parallel = tbb::filter::parallel;
#else
  auto const in_order = tbb::filter_mode::serial_in_order;
  auto const parallel = tbb::filter_mode::parallel;
#endif
  auto const first = my_body([](tbb::flow_control& end) { return end.stop(), my_item(1); });
  auto const same = my_body([](my_item i) { return i; });
  auto const pointer = my_body([](my_item) -> my_item* { return nullptr; });
  tbb::parallel_pipeline(4, tbb::make_filter<void, my_item>(in_order, first) &
                                tbb::make_filter<my_item, my_item>(parallel, same) &
                                tbb::make_filter<my_item, my_item*>(parallel, pointer) &
                                tbb::make_filter<my_item*, void>(in_order, my_body([](my_item*) {})));
  tbb::parallel_pipeline(4,
                         tbb::make_filter<void, void>(in_order, my_body([](tbb::flow_control& end) { end.stop(); })));
}

template <typename Mutex>
void lock_around(my_item& item) {
  Mutex m;
  typename Mutex::scoped_lock const held(m);
  item.value++;
}

int main() {
  ranges();
  loops();
  items();
  pipelines();
  my_item i = tasks();
  lock_around<tbb::spin_mutex>(i);
  lock_around<tbb::queuing_mutex>(i);
  return i.value;
}
