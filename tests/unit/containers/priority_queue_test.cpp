// SPDX-License-Identifier: Apache-2.0
#include <tbb/concurrent_priority_queue.h>

#include "queue_parts.h"

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <queue>
#include <stdexcept>
#include <vector>

namespace {

using queue_parts::account;
using queue_parts::booking_allocator;
using queue_parts::element;
using queue_parts::fail_everywhere;

// As int, but its end is noticed, so that it is moved out of the heap's first place at once.
struct boxed {
  int value = 0;
  boxed(int v = 0) : value(v) {}  // NOLINT: implicit
  boxed(boxed const&) = default;
  boxed& operator=(boxed const&) = default;
  ~boxed() { value = -1; }
  explicit operator int() const { return value; }
  friend bool operator<(boxed const& a, boxed const& b) { return a.value < b.value; }
};

template <typename Queue>
std::vector<int> drain(Queue q) {
  std::vector<int> found;
  typename Queue::value_type v{};
  while (q.try_pop(v)) found.push_back(static_cast<int>(v));
  return found;
}
using list = std::vector<int>;

}  // namespace

TEST_CASE_TEMPLATE("concurrent_priority_queue: the greatest first, as std::priority_queue", T, int, boxed) {
  tbb::concurrent_priority_queue<T> q;
  std::priority_queue<int> model;
  unsigned x = 1;
  for (int i = 0; i < 20'000; ++i) {
    x = x * 1664525u + 1013904223u;
    if (x >> 30 != 0 && (x >> 29 & 1 || model.size() < 500)) {
      q.push(static_cast<int>(x >> 16));
      model.push(static_cast<int>(x >> 16));
    } else {
      T v{};
      bool const got = q.try_pop(v);
      REQUIRE(got == !model.empty());
      if (!got) continue;
      REQUIRE(static_cast<int>(v) == model.top());
      model.pop();
    }
    REQUIRE(q.size() == model.size());
  }
}

// The greatest element has left, the others have not moved yet.
TEST_CASE("concurrent_priority_queue: copies, moves and comparisons right after a pop") {
  using queue = tbb::concurrent_priority_queue<int>;
  auto const popped = [] {
    queue q{4, 9, 2, 7};
    int v = 0;
    CHECK(q.try_pop(v));
    CHECK(v == 9);
    return q;
  };
  queue const q = popped();
  CHECK(q.size() == 3);
  CHECK(drain(q) == list{7, 4, 2});
  CHECK(q == queue{2, 4, 7});
  CHECK(q == popped());
  queue assigned{1};
  assigned = q;
  CHECK(assigned == q);
  queue other{5};
  other.swap(assigned);
  CHECK(other == q);
  CHECK(drain(assigned) == list{5});
  other.push(3);
  CHECK(drain(other) == list{7, 4, 3, 2});
  other = popped();
  other.push(8);
  CHECK(drain(other) == list{8, 7, 4, 2});
  other = popped();
  other.clear();
  CHECK(other.empty());
  other.push(1);
  CHECK(drain(other) == list{1});
  queue last{6};
  int v = 0;
  CHECK(last.try_pop(v));
  CHECK(last.empty());
  CHECK(!last.try_pop(v));
  CHECK(last == queue());
  last.assign({3, 1});
  CHECK(drain(last) == list{3, 1});
}

TEST_CASE("concurrent_priority_queue: a popped element is destroyed at once") {
  element::live = 0;
  {
    tbb::concurrent_priority_queue<element> q;
    for (int i = 0; i < 10; ++i) q.emplace(i);
    element e;
    for (int left = 9; left >= 0; --left) {
      REQUIRE(q.try_pop(e));
      CHECK(element::live == left + 1);
    }
  }
  CHECK(element::live == 0);
}

TEST_CASE("concurrent_priority_queue: constructors, assignment, comparison") {
  list const some{3, 1, 2};
  using queue = tbb::concurrent_priority_queue<int>;
  queue q(some.begin(), some.end());
  CHECK(drain(q) == list{3, 2, 1});
  CHECK(drain(queue(100)).empty());
  CHECK(drain(queue{5, 9}) == list{9, 5});
  using reverse = tbb::concurrent_priority_queue<int, std::greater<int>>;
  CHECK(drain(reverse(some.begin(), some.end())) == list{1, 2, 3});
  CHECK(drain(reverse(10, std::greater<int>())).empty());
  queue copy(q);
  CHECK(copy == q);
  copy.push(0);
  CHECK(copy != q);
  CHECK(queue{1, 2, 3} == queue{3, 2, 1});
  CHECK(queue{1, 2, 3} != queue{3, 2, 2});
  queue moved(std::move(copy));
  CHECK(copy.empty());  // NOLINT: moved-from queues are empty
  CHECK(moved.size() == 4);
  copy = moved;
  CHECK(copy == moved);
  copy = std::move(moved);
  CHECK(moved.empty());  // NOLINT
  copy = {7, 8};
  CHECK(drain(copy) == list{8, 7});
  copy.assign(some.begin(), some.end());
  CHECK(copy == q);
  copy.assign({4});
  swap(copy, q);
  CHECK(drain(q) == list{4});
  copy.swap(q);
  CHECK(q.size() == 3);
  q.clear();
  CHECK(q.empty());
}

TEST_CASE("concurrent_priority_queue: deduction guides") {
  list const some{3, 1};
  tbb::concurrent_priority_queue a(some.begin(), some.end());
  static_assert(std::is_same_v<decltype(a), tbb::concurrent_priority_queue<int>>);
  tbb::concurrent_priority_queue b(some.begin(), some.end(), std::greater<int>());
  static_assert(std::is_same_v<decltype(b), tbb::concurrent_priority_queue<int, std::greater<int>>>);
  tbb::concurrent_priority_queue c(some.begin(), some.end(), std::allocator<int>());
  static_assert(std::is_same_v<decltype(c), tbb::concurrent_priority_queue<int, std::less<int>, std::allocator<int>>>);
  CHECK(drain(b) == list{1, 3});
}

TEST_CASE("concurrent_priority_queue: move-only elements") {
  struct by_value {
    bool operator()(std::unique_ptr<int> const& a, std::unique_ptr<int> const& b) const { return *a < *b; }
  };
  tbb::concurrent_priority_queue<std::unique_ptr<int>, by_value> q;
  for (int i = 0; i < 20; ++i) q.push(std::make_unique<int>(i * 7 % 20));
  q.emplace(new int(100));
  std::unique_ptr<int> p;
  CHECK(q.try_pop(p));
  CHECK(*p == 100);
  for (int i = 19; i >= 0; --i) {
    REQUIRE(q.try_pop(p));
    REQUIRE(*p == i);
  }
}

TEST_CASE("concurrent_priority_queue: memory fails at every call, copies throw at every position") {
  element::live = 0;
  account book;
  using queue = tbb::concurrent_priority_queue<element, std::less<element>, booking_allocator<element>>;
  auto const attempt = [&] {
    queue q{booking_allocator<element>(book)};
    for (int i = 0; i < 40; ++i) {
      std::size_t const before = q.size();
      try {
        if (i % 2 != 0) {
          q.emplace(i * 7 % 40);
        } else {
          q.push(element(i * 7 % 40));
        }
      } catch (...) {
        CHECK(q.size() == before);
        throw;
      }
    }
    queue copy(q);
    bool const same = copy == q;
    CHECK(same);
    element e;
    for (int i = 39; i >= 0; --i) {
      CHECK(q.try_pop(e));
      CHECK(e.value == i);
    }
  };
  CHECK(fail_everywhere(book.countdown, attempt) >= 4);
  CHECK(fail_everywhere(element::countdown, attempt) >= 40);
  CHECK(element::live == 0);
  CHECK(book.bytes == 0);
}

TEST_CASE_TEMPLATE("concurrent_priority_queue: comparisons throw at every position", T, int, boxed) {
  static int countdown = -1;
  struct moody {
    bool operator()(T const& a, T const& b) const {
      if (countdown >= 0 && countdown-- == 0) throw std::runtime_error("moody");
      return a < b;
    }
  };
  int const failures = fail_everywhere(countdown, [] {
    tbb::concurrent_priority_queue<T, moody> q;
    std::priority_queue<int> model;
    unsigned x = 1;
    for (int i = 0; i < 60; ++i) {
      x = x * 1664525u + 1013904223u;
      int const value = static_cast<int>(x >> 24);
      T v{};
      try {
        if (i < 20 || x >> 23 & 1) {
          q.push(value);
          model.push(value);
        } else if (q.try_pop(v)) {
          REQUIRE(static_cast<int>(v) == model.top());
          model.pop();
        }
      } catch (std::runtime_error const&) {
        // Nothing happened.
        for (; !model.empty(); model.pop()) {
          REQUIRE(q.size() == model.size());
          REQUIRE(q.try_pop(v));
          REQUIRE(static_cast<int>(v) == model.top());
        }
        REQUIRE(!q.try_pop(v));
        throw;
      }
      REQUIRE(q.size() == model.size());
    }
  });
  CHECK(failures > 100);
}

TEST_CASE("concurrent_priority_queue: copies that throw leave an empty queue or the old one") {
  element::live = 0;
  using queue = tbb::concurrent_priority_queue<element>;
  int const failures = fail_everywhere(element::countdown, [] {
    queue from;
    for (int i = 0; i < 6; ++i) from.emplace(i);
    queue to;
    to.emplace(1);
    try {
      to = from;
    } catch (std::runtime_error const&) {
      CHECK(to.empty());
      CHECK(from.size() == 6);
      throw;
    }
    element const some[] = {3, 5, 4};
    try {
      to.assign(some, some + 3);
    } catch (std::runtime_error const&) {
      CHECK(to.empty());
      throw;
    }
    CHECK(to.size() == 3);
  });
  CHECK(failures >= 10);
  CHECK(element::live == 0);
}

TEST_CASE("concurrent_priority_queue: a capacity beyond the address space") {
  using queue = tbb::concurrent_priority_queue<int>;
  CHECK_THROWS_AS(queue(~std::size_t{0}), std::length_error);
  CHECK_THROWS_AS(queue((~std::size_t{0} >> 17) / sizeof(int) + 1), std::length_error);
  CHECK(queue(std::size_t{0}).empty());
}

TEST_CASE("concurrent_priority_queue: queues are compared without a copy of an element") {
  tbb::concurrent_priority_queue<element> a, b;
  for (int i = 0; i < 100; ++i) {
    a.emplace(i * 37 % 100);
    b.emplace(99 - i);
  }
  int const before = element::live;
  element::countdown = 0;  // the first copy throws
  CHECK(a == b);
  element::countdown = -1;
  CHECK(element::live == before);
  element top{0};
  a.try_pop(top);
  CHECK(a != b);
  b.try_pop(top);
  CHECK(a == b);
  a.emplace(5);
  b.emplace(6);
  CHECK(a != b);

  struct by_value {
    bool operator()(std::unique_ptr<int> const& x, std::unique_ptr<int> const& y) const { return *x < *y; }
  };
  tbb::concurrent_priority_queue<std::unique_ptr<int>, by_value> lone, other;
  lone.push(std::make_unique<int>(1));
  CHECK(lone == lone);
  CHECK(lone != other);
}

TEST_CASE("concurrent_priority_queue: a comparison skips the place of the element that has left") {
  using queue = tbb::concurrent_priority_queue<int>;
  queue popped{9, 4, 7, 2};
  int top = 0;
  REQUIRE(popped.try_pop(top));
  CHECK(popped == queue{2, 4, 7});
  CHECK(queue{2, 4, 7} == popped);
  CHECK(popped != queue{9, 4, 2});
  CHECK(popped.size() == 3);
}
