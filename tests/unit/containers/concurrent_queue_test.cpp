// SPDX-License-Identifier: Apache-2.0
#include <tbb/concurrent_queue.h>

#include "queue_parts.h"

#include <doctest/doctest.h>

#include <iterator>
#include <memory_resource>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using queue_parts::account;
using queue_parts::booking_allocator;
using queue_parts::element;
using queue_parts::fail_everywhere;

template <typename Queue>
std::vector<int> contents(Queue const& q) {
  std::vector<int> found;
  for (auto i = q.unsafe_begin(); i != q.unsafe_end(); ++i) found.push_back(*i);
  return found;
}
template <typename Queue>
std::vector<int> values(Queue const& q) {
  std::vector<int> found;
  for (auto i = q.unsafe_begin(); i != q.unsafe_end(); ++i) found.push_back(i->value);
  return found;
}
using list = std::vector<int>;

}  // namespace

TEST_CASE_TEMPLATE("queues: constructors, assignment, swap", Queue, tbb::concurrent_queue<int>,
                   tbb::concurrent_bounded_queue<int>, tbb::deprecated::concurrent_queue<int>) {
  list const three{1, 2, 3};
  Queue empty;
  CHECK(empty.empty());
  CHECK(contents(empty).empty());
  Queue from_range(three.begin(), three.end());
  Queue from_list{4, 5};
  CHECK(contents(from_range) == three);
  CHECK(contents(from_list) == list{4, 5});
  Queue copy(from_range);
  CHECK(contents(copy) == three);
  Queue moved(std::move(copy));
  CHECK(contents(moved) == three);
  CHECK(copy.empty());  // NOLINT: moved-from queues are empty
  copy.push(9);
  CHECK(contents(copy) == list{9});
  copy = from_list;
  CHECK(contents(copy) == list{4, 5});
  copy = std::move(moved);
  CHECK(contents(copy) == three);
  CHECK(moved.empty());  // NOLINT
  Queue& self = copy;
  copy = self;
  CHECK(contents(copy) == three);
  swap(copy, from_list);
  CHECK(contents(copy) == list{4, 5});
  CHECK(contents(from_list) == three);
  copy.swap(from_list);
  CHECK(contents(copy) == three);
  copy.clear();
  CHECK(copy.empty());
}

TEST_CASE_TEMPLATE("queues: assign", Queue, tbb::concurrent_queue<int>, tbb::concurrent_bounded_queue<int>) {
  list const three{1, 2, 3};
  Queue q{7};
  q.assign(three.begin(), three.end());
  CHECK(contents(q) == three);
  q.assign({5});
  CHECK(contents(q) == list{5});
  q = {6, 7};
  CHECK(contents(q) == list{6, 7});
}

TEST_CASE("concurrent_queue: first in, first out; sizes") {
  tbb::concurrent_queue<int> q;
  for (int i = 0; i < 2000; ++i) q.push(i);
  CHECK(q.unsafe_size() == 2000);
  int v = -1;
  for (int i = 0; i < 2000; ++i) {
    REQUIRE(q.try_pop(v));
    REQUIRE(v == i);
  }
  CHECK(!q.try_pop(v));
  CHECK(v == 1999);
  CHECK(q.empty());
}

TEST_CASE("queues: move-only elements") {
  tbb::concurrent_queue<std::unique_ptr<int>> q;
  tbb::concurrent_bounded_queue<std::unique_ptr<int>> b;
  q.push(std::make_unique<int>(1));
  q.emplace(new int(2));
  b.push(std::make_unique<int>(1));
  b.emplace(new int(2));
  CHECK(b.try_push(std::make_unique<int>(3)));
  CHECK(b.try_emplace(new int(4)));
  auto q2 = std::move(q);
  q = std::move(q2);
  std::unique_ptr<int> p;
  CHECK(q.try_pop(p));
  CHECK(*p == 1);
  for (int i = 1; i <= 4; ++i) {
    b.pop(p);
    CHECK(*p == i);
  }
}

TEST_CASE("queues: elements without default constructor, arguments of emplace") {
  struct pair {
    pair(int a, std::string b) : first(a), second(std::move(b)) {}
    int first;
    std::string second;
  };
  tbb::concurrent_queue<pair> q;
  q.emplace(1, "one");
  pair p(0, "");
  CHECK(q.try_pop(p));
  CHECK(p.second == "one");
}

TEST_CASE("queues: iterators") {
  using queue = tbb::concurrent_queue<int>;
  using category = std::iterator_traits<queue::iterator>::iterator_category;
  static_assert(std::is_same_v<category, std::forward_iterator_tag>);
  static_assert(std::is_convertible_v<queue::iterator, queue::const_iterator>);
  static_assert(!std::is_convertible_v<queue::const_iterator, queue::iterator>);
  static_assert(std::forward_iterator<queue::iterator> && std::forward_iterator<queue::const_iterator>);
  queue q;
  CHECK(q.unsafe_begin() == q.unsafe_end());
  for (int i = 0; i < 1200; ++i) q.push(i);
  for (auto i = q.unsafe_begin(); i != q.unsafe_end(); i++) *i += 1;
  int expected = 1;
  queue const& c = q;
  for (auto i = c.unsafe_begin(); i != c.unsafe_end(); ++i) REQUIRE(*i == expected++);
  CHECK(expected == 1201);
  CHECK(std::distance(q.unsafe_cbegin(), q.unsafe_cend()) == 1200);
  queue::const_iterator const mixed = q.unsafe_begin();
  CHECK(mixed == q.unsafe_begin());
  CHECK(queue::iterator() == q.unsafe_end());
}

TEST_CASE("queues: deduction guides") {
  list const three{1, 2, 3};
  tbb::concurrent_queue q(three.begin(), three.end());
  tbb::concurrent_bounded_queue b(three.begin(), three.end(), std::allocator<int>());
  static_assert(std::is_same_v<decltype(q), tbb::concurrent_queue<int>>);
  static_assert(std::is_same_v<decltype(b), tbb::concurrent_bounded_queue<int, std::allocator<int>>>);
  tbb::concurrent_queue copy(q);
  static_assert(std::is_same_v<decltype(copy), decltype(q)>);
  CHECK(contents(copy) == three);
}

TEST_CASE("queues: allocators follow their traits") {
  account one;
  account two;
  {
    using fixed = booking_allocator<int>;
    using queue = tbb::concurrent_queue<int, fixed>;
    queue a({1, 2}, fixed(one));
    queue b({3}, fixed(two));
    CHECK(one.bytes > 0);
    queue c(a, fixed(two));
    CHECK(c.get_allocator() == fixed(two));
    CHECK(contents(c) == list{1, 2});
    b = a;
    CHECK(b.get_allocator() == fixed(two));
    CHECK(contents(b) == list{1, 2});
    b = std::move(a);  // elements move one by one
    CHECK(b.get_allocator() == fixed(two));
    CHECK(contents(b) == list{1, 2});
    queue d(std::move(b), fixed(one));
    CHECK(d.get_allocator() == fixed(one));
    CHECK(contents(d) == list{1, 2});
  }
  CHECK(one.bytes == 0);
  CHECK(two.bytes == 0);
  {
    using wandering = booking_allocator<int, true>;
    using queue = tbb::concurrent_bounded_queue<int, wandering>;
    queue a({1, 2}, wandering(one));
    queue b({3}, wandering(two));
    swap(a, b);
    CHECK(a.get_allocator() == wandering(two));
    b = a;
    CHECK(b.get_allocator() == wandering(two));
    CHECK(contents(b) == list{3});
    queue c(wandering{one});
    c = std::move(b);
    CHECK(c.get_allocator() == wandering(two));
    CHECK(contents(c) == list{3});
  }
  CHECK(one.bytes == 0);
  CHECK(two.bytes == 0);
}

TEST_CASE("queues: polymorphic allocators reach the elements") {
  std::pmr::monotonic_buffer_resource memory;
  tbb::concurrent_queue<std::pmr::string, std::pmr::polymorphic_allocator<std::pmr::string>> q(&memory);
  q.emplace("a string that is too long for its small buffer, so that it needs memory");
  CHECK(q.unsafe_begin()->get_allocator().resource() == &memory);
  auto other = q;
  other = q;
  CHECK(*other.unsafe_begin() == *q.unsafe_begin());
}

TEST_CASE("queues: memory fails at every call") {
  account book;
  using allocator = booking_allocator<element>;
  element::live = 0;
  int const failures = fail_everywhere(book.countdown, [&] {
    tbb::concurrent_queue<element, allocator> q{allocator(book)};
    for (int i = 0; i < 40; ++i) {
      try {
        q.push(element(i));
      } catch (std::bad_alloc const&) {
        CHECK(q.unsafe_size() == static_cast<std::size_t>(i));  // nothing happened
        q.push(element(i));
        for (int n = i + 1; n < 40; ++n) q.push(element(n));
        CHECK(values(q).size() == 40);
        throw;
      }
    }
    auto copy = q;
    copy = q;
    CHECK(values(copy) == values(q));
  });
  CHECK(failures >= 12);
  CHECK(element::live == 0);
  CHECK(book.bytes == 0);
}

TEST_CASE("queues: constructors throw at every position") {
  element::live = 0;
  int const failures = fail_everywhere(element::countdown, [] {
    tbb::concurrent_queue<element> q;
    tbb::concurrent_bounded_queue<element> b;
    b.set_capacity(20);
    int failed = 0;
    for (int i = 0; i < 20; ++i) {
      try {
        q.emplace(i);
        b.emplace(i);
      } catch (std::runtime_error const&) {
        ++failed;
      }
    }
    // The broken cell takes no room.
    while (b.size() < 20) REQUIRE(b.try_emplace(7));
    CHECK(!b.try_emplace(8));
    CHECK(q.unsafe_size() + static_cast<unsigned>(failed) >= 20);
    element e;
    int before = -1;
    int popped = 0;
    for (; q.try_pop(e); ++popped) {
      CHECK(e.value > before);
      before = e.value;
    }
    CHECK(popped >= 19);
    CHECK(q.empty());
    tbb::concurrent_bounded_queue<element> copy(b);
    CHECK(copy.capacity() == 20);
    q.assign(copy.unsafe_begin(), copy.unsafe_end());
    CHECK(values(q) == values(b));
  });
  CHECK(failures > 60);
  CHECK(element::live == 0);
}

TEST_CASE("queues: the assignment of a popped element throws") {
  struct rude {
    int value = 0;
    rude() = default;
    explicit rude(int v) : value(v) {}
    rude(rude const&) = default;
    rude& operator=(rude const& other) {
      if (other.value == 1) throw std::runtime_error("rude");
      value = other.value;
      return *this;
    }
  };
  tbb::concurrent_bounded_queue<rude> q;
  q.set_capacity(2);
  q.push(rude(1));
  q.push(rude(2));
  rude r;
  CHECK_THROWS_AS(q.pop(r), std::runtime_error);
  CHECK(q.size() == 1);
  CHECK(q.try_push(rude(3)));
  q.pop(r);
  CHECK(r.value == 2);
}

TEST_CASE("queues: names of the old interface") {
  tbb::deprecated::concurrent_queue<int> q;
  q.set_capacity(1);
  CHECK(q.push_if_not_full(1));
  CHECK(!q.push_if_not_full(2));
  CHECK(*q.begin() == 1);
  CHECK(std::distance(q.begin(), q.end()) == 1);
  int v = 0;
  CHECK(q.pop_if_present(v));
  CHECK(!q.pop_if_present(v));
  CHECK(v == 1);
  tbb::strict_ppl::concurrent_queue<int> strict{1};
  CHECK(strict.try_pop(v));
}

TEST_CASE_TEMPLATE("queues are equal if their elements are, in order", Queue, tbb::concurrent_queue<int>,
                   tbb::concurrent_bounded_queue<int>) {
  Queue a{1, 2, 3};
  Queue b{0, 1, 2, 3};
  CHECK(a != b);
  int v = 0;
  CHECK(b.try_pop(v));
  CHECK(a == b);
  CHECK(b == a);
  CHECK(a != Queue{1, 3, 2});
  CHECK(a != Queue{1, 2});
  CHECK(Queue{1, 2} != a);
  CHECK(Queue() == Queue());
  CHECK(Queue() != a);
}
