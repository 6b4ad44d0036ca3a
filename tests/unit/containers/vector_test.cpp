// SPDX-License-Identifier: Apache-2.0
#include <tbb/concurrent_vector.h>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <compare>
#include <iterator>
#include <memory>
#include <ranges>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tracked.h"

namespace {

using vector = tbb::concurrent_vector<int>;

static_assert(std::random_access_iterator<vector::iterator>);
static_assert(std::random_access_iterator<vector::const_iterator>);
static_assert(std::ranges::random_access_range<vector>);
static_assert(std::is_convertible_v<vector::iterator, vector::const_iterator>);
static_assert(!std::is_convertible_v<vector::const_iterator, vector::iterator>);
static_assert(std::is_nothrow_move_constructible_v<vector> && std::is_nothrow_move_assignable_v<vector>);
#ifdef __cpp_lib_three_way_comparison  // not in libc++ 16
static_assert(std::three_way_comparable<vector, std::strong_ordering>);
static_assert(std::three_way_comparable<tbb::concurrent_vector<double>, std::partial_ordering>);
#endif

std::vector<int> contents(vector const& v) { return {v.begin(), v.end()}; }

TEST_CASE("every element keeps its address while the vector grows") {
  vector v;
  std::vector<int*> places;
  for (int i = 0; i != 5000; ++i) {
    vector::iterator const it = v.push_back(i);
    CHECK(&*it == &v[static_cast<std::size_t>(i)]);
    places.push_back(&*it);
  }
  for (std::size_t i = 0; i != places.size(); ++i) {
    REQUIRE(&v[i] == places[i]);
    REQUIRE(v[i] == static_cast<int>(i));
    REQUIRE(&v.at(i) == places[i]);
  }
  CHECK(v.size() == 5000);
  CHECK(v.capacity() >= 5000);
  CHECK(v.front() == 0);
  CHECK(v.back() == 4999);
}

TEST_CASE("growth returns the first of the new elements") {
  vector v;
  auto it = v.grow_by(3);
  CHECK(it == v.begin());
  it = v.grow_by(2, 7);
  CHECK(it - v.begin() == 3);
  std::array<int, 3> const more{1, 2, 3};
  CHECK(v.grow_by(more.begin(), more.end()) - v.begin() == 5);
  CHECK(v.grow_by({8, 9}) - v.begin() == 8);
  CHECK(*v.emplace_back(10) == 10);
  CHECK(contents(v) == std::vector<int>{0, 0, 0, 7, 7, 1, 2, 3, 8, 9, 10});
  CHECK(v.grow_by(0) == v.end());
  CHECK(v.grow_to_at_least(5) - v.begin() == 5);  // nothing to add
  CHECK(v.size() == 11);
  CHECK(v.grow_to_at_least(13, 5) - v.begin() == 11);
  CHECK(v.grow_to_at_least(14) - v.begin() == 13);
  CHECK(v[11] == 5);
  CHECK(v[12] == 5);
  CHECK(v[13] == 0);
  std::istringstream text("4 5 6");
  CHECK(*v.grow_by(std::istream_iterator<int>(text), std::istream_iterator<int>()) == 4);
  CHECK(v.size() == 17);
  CHECK(v[16] == 6);
}

TEST_CASE("constructors and assignment") {
  vector const five(5);
  CHECK(contents(five) == std::vector<int>(5, 0));
  vector v(3, 9);
  CHECK(contents(v) == std::vector<int>{9, 9, 9});
  std::vector<int> const source{1, 2, 3, 4};
  tbb::concurrent_vector deduced(source.begin(), source.end());
  static_assert(std::is_same_v<decltype(deduced), vector>);
  CHECK(contents(deduced) == source);
  vector copy(deduced);
  CHECK(copy == deduced);
  vector const moved(std::move(copy));
  CHECK(copy.empty());  // NOLINT: documented
  CHECK(moved == deduced);
  v = moved;
  CHECK(v == deduced);
  v = {5, 6};
  CHECK(contents(v) == std::vector<int>{5, 6});
  v.assign(4, v[0]);
  CHECK(contents(v) == std::vector<int>(4, 5));
  v.assign(source.begin(), source.end());
  CHECK(contents(v) == source);
  v.assign({1});
  CHECK(v.size() == 1);
  tbb::concurrent_vector<int, std::allocator<int>> other(v);
  CHECK(other == v);
  other.push_back(2);
  v = other;
  CHECK(other == v);
  v.swap(deduced);
  CHECK(contents(v) == source);
  CHECK(deduced.size() == 2);
  swap(v, deduced);
  CHECK(contents(deduced) == source);
}

TEST_CASE("swap and move of vectors of all sizes, with and without a large table") {
  for (int const m : {0, 1, 7, 8, 9, 100}) {
    for (int const n : {0, 1, 8, 9, 300}) {
      tbb::concurrent_vector<std::string> a;
      tbb::concurrent_vector<std::string> b;
      for (int i = 0; i != m; ++i) a.push_back(std::to_string(i));
      for (int i = 0; i != n; ++i) b.push_back(std::to_string(-i));
      a.swap(b);
      CHECK(a.size() == static_cast<std::size_t>(n));
      CHECK(b.size() == static_cast<std::size_t>(m));
      a.push_back("a");
      b = std::move(a);
      REQUIRE(b.size() == static_cast<std::size_t>(n) + 1);
      for (int i = 0; i != n; ++i) REQUIRE(b[static_cast<std::size_t>(i)] == std::to_string(-i));
      CHECK(b.back() == "a");
    }
  }
}

TEST_CASE("resize, reserve, shrink_to_fit and clear") {
  vector v;
  v.reserve(1000);
  CHECK(v.capacity() >= 1000);
  CHECK(v.empty());
  v.grow_by(1000, 1);
  for (std::size_t i = 1; i != 1000; ++i) REQUIRE(&v[i] == &v[0] + i);  // one block
  v.resize(10);
  CHECK(v.size() == 10);
  v.resize(20, 3);
  CHECK(v[19] == 3);
  v.resize(30);
  CHECK(v[29] == 0);
  for (int i = 0; i != 3000; ++i) v.push_back(i);
  auto const before = contents(v);
  v.resize(300);
  v.shrink_to_fit();
  CHECK(v.capacity() < 600);
  CHECK(contents(v) == std::vector<int>(before.begin(), before.begin() + 300));
  for (std::size_t i = 1; i != 300; ++i) REQUIRE(&v[i] == &v[0] + i);
  v.push_back(1);
  std::size_t const room = v.capacity();
  v.clear();
  CHECK(v.empty());
  CHECK(v.capacity() == room);
  v.shrink_to_fit();
  CHECK(v.capacity() == 0);
  v.push_back(5);
  CHECK(v[0] == 5);
}

TEST_CASE("bounds are checked as documented") {
  vector v(3);
  CHECK_THROWS_AS(v.at(3), std::out_of_range);
  CHECK_THROWS_AS(static_cast<vector const&>(v).at(~std::size_t{0}), std::out_of_range);
  CHECK_THROWS_AS(v.reserve(v.max_size() + 1), std::length_error);
  CHECK_THROWS_AS(v.grow_by(v.max_size()), std::length_error);
  CHECK_THROWS_AS(v.grow_to_at_least(v.max_size() + 1), std::length_error);
  CHECK_THROWS_AS(v.grow_by(v.max_size(), 1), std::length_error);
  CHECK_THROWS_AS(v.resize(v.max_size() + 1), std::length_error);
  CHECK_THROWS_AS(vector(v.max_size() + 1), std::length_error);
  CHECK_THROWS_AS(vector(~std::size_t{0}, 1), std::length_error);
  CHECK(v.at(2) == 0);
  CHECK(v.size() == 3);
  v.reserve(0);
  v.push_back(1);
  CHECK(v.size() == 4);
}

TEST_CASE("iterators step over the ends of segments in both directions") {
  vector v;
  for (int i = 0; i != 100; ++i) v.push_back(i);
  int expected = 0;
  for (auto it = v.cbegin(); it != v.cend(); ++it, ++expected) REQUIRE(*it == expected);
  for (auto it = v.end(); it != v.begin();) REQUIRE(*--it == --expected);
  expected = 99;
  for (auto it = v.rbegin(); it != v.rend(); ++it, --expected) REQUIRE(*it == expected);
  for (int i = 0; i <= 100; ++i) {
    for (int j = 0; j <= 100; ++j) {
      auto const a = v.begin() + i;
      REQUIRE(a + (j - i) == v.begin() + j);
      REQUIRE((v.cbegin() + j) - a == j - i);
      REQUIRE((a < v.begin() + j) == (i < j));
    }
  }
  vector::iterator it = v.begin() + 5;
  CHECK(it[3] == 8);
  CHECK(*it++ == 5);
  CHECK(*it-- == 6);
  CHECK(it == vector::const_iterator(it));
  CHECK(std::ranges::equal(v | std::views::drop(98), std::vector<int>{98, 99}));
}

TEST_CASE("an end iterator finds the element that comes into being there") {
  for (int const n : {0, 1, 2, 4, 5, 8, 64}) {
    vector v;
    for (int i = 0; i != n; ++i) v.push_back(i);
    auto it = v.end();
    v.grow_by(3, 42);
    CHECK(*it == 42);
    CHECK(*++it == 42);
    CHECK(*++it == 42);
    CHECK(++it == v.end());
  }
}

TEST_CASE("ranges split like blocked_range") {
  vector v;
  for (int i = 0; i != 10; ++i) v.push_back(i);
  auto r = v.range(3);
  CHECK(r.grainsize() == 3);
  CHECK(r.is_divisible());
  vector::range_type second(r, tbb::split());
  CHECK(r.size() == 5);
  CHECK(second.size() == 5);
  CHECK(*second.begin() == 5);
  tbb::proportional_split thirds(2, 1);
  vector::range_type third(second, thirds);
  CHECK(third.size() == 2);
  CHECK(second.end() == third.begin());
  CHECK_FALSE(third.is_divisible());
  vector::const_range_type const c(r);
  CHECK(c.size() == 5);
  CHECK(static_cast<vector const&>(v).range().size() == 10);
  CHECK(vector().range().empty());
}

TEST_CASE("comparisons are lexicographical") {
  vector const a{1, 2, 3};
  vector const b{1, 2, 4};
  vector const c{1, 2};
  CHECK(a == a);
  CHECK(a != b);
  CHECK(a < b);
  CHECK(c < a);
  CHECK(b > c);
  CHECK(a <= a);
  CHECK(b >= a);
#ifdef __cpp_lib_three_way_comparison
  CHECK((a <=> c) == std::strong_ordering::greater);
  tbb::concurrent_vector<test::tracked> const d{1};
  tbb::concurrent_vector<test::tracked> const e{2};
  CHECK((d <=> e) == std::weak_ordering::less);
#endif
}

TEST_CASE("types that only move or have no default constructor") {
  tbb::concurrent_vector<std::unique_ptr<int>> v;
  v.push_back(std::make_unique<int>(1));
  v.emplace_back(new int(2));
  v.grow_by(2);
  for (int i = 0; i != 20; ++i) v.emplace_back(nullptr);
  v.shrink_to_fit();
  CHECK(*v[0] == 1);
  CHECK(*v[1] == 2);
  tbb::concurrent_vector<std::unique_ptr<int>> const w(std::move(v));
  CHECK(w.size() == 24);
  struct no_default {
    explicit no_default(int n) : value(n) {}
    int value;
  };
  tbb::concurrent_vector<no_default> n;
  n.emplace_back(1);
  n.grow_by(2, no_default(2));
  n.grow_to_at_least(9, no_default(3));
  n.shrink_to_fit();
  CHECK(n[8].value == 3);
}

struct slow_start {
  std::atomic<int> calls{0};
};
// The first allocation takes a while, so that others would overtake it if they could.
template <typename T>
struct slow_start_allocator {
  using value_type = T;
  slow_start* start;
  explicit slow_start_allocator(slow_start& s) : start(&s) {}
  template <typename U>
  slow_start_allocator(slow_start_allocator<U> const& other) : start(other.start) {}  // NOLINT: implicit
  T* allocate(std::size_t n) {
    if (start->calls++ == 0) std::this_thread::sleep_for(std::chrono::milliseconds(30));
    return std::allocator<T>().allocate(n);
  }
  void deallocate(T* p, std::size_t n) noexcept { std::allocator<T>().deallocate(p, n); }
  friend bool operator==(slow_start_allocator const& a, slow_start_allocator const& b) { return a.start == b.start; }
};

TEST_CASE("what a thread has appended counts, though the elements before it have no memory yet") {
  using pair = std::array<long, 2>;  // four of them in the first block
  slow_start start;
  tbb::concurrent_vector<pair, slow_start_allocator<pair>> v{slow_start_allocator<pair>(start)};
  std::thread first([&] { v.grow_by(4); });
  while (start.calls == 0) std::this_thread::yield();
  v.push_back(pair{1, 2});
  CHECK(v.size() == 5);
  CHECK(v.back() == pair{1, 2});
  first.join();
}

}  // namespace
