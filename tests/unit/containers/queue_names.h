// SPDX-License-Identifier: Apache-2.0
// The names and types of the queues' sections of the API. Included by one file of each dialect; most of it only has to
// compile.
#pragma once

#define TBB_PREVIEW_AGGREGATOR 1
#define TBB_PREVIEW_CONCURRENT_PRIORITY_QUEUE 1
#include <tbb/aggregator.h>
#include <tbb/concurrent_priority_queue.h>
#include <tbb/concurrent_queue.h>

#include <doctest/doctest.h>

#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

namespace {

template <typename Type, typename Expression>
constexpr void is(Expression&&) {
  static_assert(std::is_same_v<Type, Expression>);
}

template <typename Queue>
void name_types() {
  using value = typename Queue::value_type;
  static_assert(std::is_same_v<typename Queue::reference, value&>);
  static_assert(std::is_same_v<typename Queue::const_reference, value const&>);
  static_assert(std::is_signed_v<typename Queue::difference_type>);
  static_assert(std::is_integral_v<typename Queue::size_type>);
  static_assert(std::is_same_v<typename std::allocator_traits<typename Queue::allocator_type>::value_type, value>);
}
// Constructors, assignments and what else all queues have.
template <typename Queue>
void name_container() {
  name_types<Queue>();
  typename Queue::allocator_type const allocator;
  int const some[] = {1, 2};
  Queue a;
  Queue const b(allocator);
  Queue const c(some, some + 2);
  Queue const d(some, some + 2, allocator);
  Queue const e{1, 2};
  Queue const f({1, 2}, allocator);
  Queue const g(c);
  Queue const h(c, allocator);
  Queue i(std::move(a));
  Queue const j(std::move(i), allocator);
  Queue k;
  k = c;
  k = Queue();
  k = {1, 2};
  k.assign(some, some + 2);
  k.assign({1, 2});
  Queue l;
  k.swap(l);
  swap(k, l);
  is<bool>(k == l);
  is<bool>(k != l);
  is<typename Queue::allocator_type>(k.get_allocator());
  is<bool>(k.empty());
  static_assert(std::is_void_v<decltype(k.clear())>);
  int const value = 1;
  static_assert(std::is_void_v<decltype(k.push(value))> && std::is_void_v<decltype(k.push(1))> &&
                std::is_void_v<decltype(k.emplace(1))>);
  k.push(value);
  int result = 0;
  is<bool>(k.try_pop(result));
}
template <typename Queue>
void name_iterators() {
  Queue q;
  Queue const& r = q;
  is<typename Queue::iterator>(q.unsafe_begin());
  is<typename Queue::iterator>(q.unsafe_end());
  is<typename Queue::const_iterator>(r.unsafe_begin());
  is<typename Queue::const_iterator>(r.unsafe_end());
  is<typename Queue::const_iterator>(q.unsafe_cbegin());
  is<typename Queue::const_iterator>(q.unsafe_cend());
  static_assert(std::is_same_v<typename std::iterator_traits<typename Queue::iterator>::iterator_category,
                               std::forward_iterator_tag>);
  typename Queue::const_iterator const converted = q.unsafe_begin();
  CHECK(converted == r.unsafe_end());
  static_assert(std::is_pointer_v<typename Queue::pointer> && std::is_pointer_v<typename Queue::const_pointer>);
}

template <typename Queue>
void name_bounded() {
  static_assert(std::is_signed_v<typename Queue::size_type>);
  name_container<Queue>();
  name_iterators<Queue>();
  Queue q;
  int value = 1;
  static_assert(std::is_void_v<decltype(q.pop(value))> && std::is_void_v<decltype(q.abort())> &&
                std::is_void_v<decltype(q.set_capacity(1))>);
  is<bool>(q.try_push(value));
  is<bool>(q.try_push(1));
  is<bool>(q.try_emplace(1));
  is<typename Queue::size_type>(q.size());
  is<typename Queue::size_type>(q.capacity());
}
template <typename Queue>
void name_deprecated() {
  name_types<Queue>();
  Queue q;
  Queue const& r = q;
  int value = 1;
  q.push(value);
  q.pop(value);
  is<bool>(q.push_if_not_full(value));
  is<bool>(q.pop_if_present(value));
  is<bool>(q.empty());
  is<typename Queue::size_type>(q.size());
  is<typename Queue::size_type>(q.capacity());
  q.set_capacity(2);
  is<typename Queue::iterator>(q.begin());
  is<typename Queue::iterator>(q.end());
  is<typename Queue::const_iterator>(r.begin());
  is<typename Queue::const_iterator>(r.end());
  q.clear();
}

void name_priority_queue() {
  using queue = oneapi::tbb::concurrent_priority_queue<int>;
  name_container<queue>();
  queue q;
  is<queue::size_type>(q.size());
  using other = tbb::concurrent_priority_queue<int, std::greater<int>, std::allocator<int>>;
  std::greater<int> const compare;
  std::allocator<int> const allocator;
  int const some[] = {1, 2};
  other const a(compare);
  other const b(compare, allocator);
  other const c(std::size_t{4});
  other const d(std::size_t{4}, allocator);
  other const e(std::size_t{4}, compare);
  other const f(std::size_t{4}, compare, allocator);
  other const g(some, some + 2, compare);
  other const h(some, some + 2, compare, allocator);
  other const i({1, 2}, compare);
  other const j({1, 2}, compare, allocator);
}

struct one_by_one {
  void operator()(tbb::aggregator_operation* list) const {
    while (list != nullptr) {
      tbb::aggregator_operation* const now = list;
      list = list->next();
      now->start();
      now->finish();
    }
  }
};
void name_aggregators() {
  tbb::aggregator a;
  a.execute([] {});
  tbb::aggregator_ext<one_by_one> b{one_by_one()};
  tbb::aggregator_operation operation;
  operation.set_next(nullptr);
  b.process(&operation);
}

void name_all_queues() {
  name_bounded<oneapi::tbb::concurrent_bounded_queue<int>>();
  name_deprecated<tbb::deprecated::concurrent_queue<int>>();
  name_priority_queue();
  name_aggregators();
}
template <typename Queue>
void name_unbounded() {
  static_assert(std::is_unsigned_v<typename Queue::size_type>);
  name_container<Queue>();
  name_iterators<Queue>();
  Queue q;
  is<typename Queue::size_type>(q.unsafe_size());
}

}  // namespace
