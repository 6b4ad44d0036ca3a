// SPDX-License-Identifier: Apache-2.0
// What is left of a concurrent_vector when an allocation or a constructor fails, at every place where it can.
#include <tbb/concurrent_vector.h>

#include <doctest/doctest.h>

#include <ashlar/base/exceptions.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "tracked.h"

namespace {

using test::tracked;
using allocator = test::counting_allocator<tracked>;
using vector = tbb::concurrent_vector<tracked, allocator>;

// Calls work(n) with the n-th failure armed, n = 0, 1, …, until it comes through; returns how often it failed.
template <typename Arm, typename Work>
int fail_everywhere(Arm const& arm, Work const& work) {
  for (int n = 0;; ++n) {
    arm(n);
    bool const failed = work();
    arm(-1);
    if (!failed) return n;
  }
}

template <typename F>
bool throws(F const& f) {
  try {
    f();
    return false;
  } catch (std::exception const&) {
    return true;
  }
}

TEST_CASE("an allocation that fails leaves what was there, and a gap that growth does not pass") {
  test::memory_record record;
  int const failures = fail_everywhere([&](int n) { record.countdown = n; },
                                       [&] {
                                         vector v{allocator(record)};
                                         int grown = 0;
                                         bool const failed = throws([&] {
                                           for (; grown != 40; ++grown) v.push_back(grown);
                                           v.grow_by(100, 5);
                                         });
                                         record.countdown = -1;
                                         CHECK(v.size() >= static_cast<std::size_t>(grown));
                                         CHECK(v.size() <= v.capacity());
                                         for (int i = 0; i != grown; ++i) {
                                           REQUIRE(v[static_cast<std::size_t>(i)].value == i);
                                         }
                                         if (failed) {
                                           CHECK_THROWS_AS(v.at(v.size()), std::range_error);
                                           CHECK_THROWS_AS(v.at(1000), std::out_of_range);
                                           CHECK_THROWS_AS(v.grow_by(1000), tbb::bad_last_alloc);
                                           vector const copy(v);
                                           CHECK(copy.size() == v.size());
                                           v.clear();
                                           v.grow_by(200, 3);
                                           CHECK(v.at(199).value == 3);
                                         }
                                         return failed;
                                       });
  CHECK(failures >= 4);
  CHECK(record.blocks == 0);
  CHECK(record.bytes == 0);
  CHECK(tracked::live == 0);
}

// The pieces in which the memory comes into being: the first block, the large table, later segments in any order. A
// growth that fails leaves gaps, those above them may succeed, and clear() lets the gaps be tried again.
TEST_CASE("growth may fail again and again at any piece of memory") {
  test::memory_record record;
  auto const grow = [&](vector& v, int failing, std::size_t step) {
    record.countdown = failing;
    for (int i = 0; i != 8; ++i) throws([&] { v.grow_by(step, i); });
    record.countdown = -1;
    for (tracked const& t : v) REQUIRE((t.alive == tracked::sign_of_life || (t.alive == 0 && t.value == 0)));
    v.clear();
  };
  for (int first = 0; first != 5; ++first) {
    for (int second = 0; second != 5; ++second) {
      for (std::size_t const step : {1, 8, 9, 100}) {
        vector v{allocator(record)};
        grow(v, first, step);
        grow(v, second, 109 - step);
        v.grow_by(1000, 3);
        CHECK(v.size() == 1000);
        CHECK(v.back().value == 3);
      }
    }
  }
  CHECK(record.blocks == 0);
  CHECK(record.bytes == 0);
  CHECK(tracked::live == 0);
}

TEST_CASE("a constructor that throws leaves zeroed elements") {
  int const failures = fail_everywhere(tracked::fail_in, [] {
    test::memory_record record;
    bool failed;
    {
      vector v{allocator(record)};
      failed = throws([&] {
        v.push_back(1);
        v.grow_by(20);
        v.emplace_back(2);
        v.grow_to_at_least(30, 7);
      });
      tracked::fail_never();
      int constructed = 0;
      for (tracked const& t : v) constructed += t.alive == tracked::sign_of_life;
      CHECK(constructed == tracked::live);
      for (tracked const& t : v) REQUIRE((t.alive == tracked::sign_of_life || (t.alive == 0 && t.value == 0)));
      v.grow_by(100, 9);  // still usable
      CHECK(v.back().value == 9);
    }
    CHECK(record.blocks == 0);
    CHECK(tracked::live == 0);
    return failed;
  });
  CHECK(failures > 30);
}

TEST_CASE("constructors, assignment, reserve and shrink_to_fit leak nothing when they fail") {
  test::memory_record record;
  std::vector<tracked> const source(70, tracked(4));
  auto const scenario = [&] {
    bool const failed = throws([&] {
      vector a(source.begin(), source.end(), allocator(record));
      vector b(a);
      vector c(50, tracked(2), allocator(record));
      c.reserve(500);
      c = a;
      for (int i = 0; i != 30; ++i) c.push_back(i);
      c.shrink_to_fit();
      CHECK(c.size() == 100);
      vector const d(std::move(c));
      CHECK(d[99].value == 29);
    });
    CHECK(record.blocks == 0);
    CHECK(tracked::live == 70);
    return failed;
  };
  CHECK(fail_everywhere([&](int n) { record.countdown = n; }, scenario) >= 6);
  CHECK(fail_everywhere(tracked::fail_in, scenario) >= 200);
}

TEST_CASE("a failed reserve or shrink_to_fit changes nothing") {
  test::memory_record record;
  vector v{allocator(record)};
  for (int i = 0; i != 10; ++i) v.push_back(i);
  auto const first = &v[0];
  record.countdown = 1;
  CHECK_THROWS_AS(v.reserve(1000), std::bad_alloc);
  record.countdown = 0;
  CHECK_THROWS_AS(v.shrink_to_fit(), std::bad_alloc);
  record.countdown = -1;
  CHECK(v.size() == 10);
  CHECK(&v[0] == first);
  v.reserve(1000);
  v.grow_by(900);
  CHECK(v.size() == 910);
}

TEST_CASE("allocators are carried along as their traits say") {
  test::memory_record one;
  test::memory_record two;
  {
    vector a{allocator(one)};
    a.grow_by(10, 1);
    vector b{allocator(two)};
    b.grow_by(20, 2);
    b = a;
    CHECK(b.get_allocator().record == &two);
    b = std::move(a);
    CHECK(b.get_allocator().record == &two);
    CHECK(b.size() == 10);
    vector const c(std::move(b), allocator(one));
    CHECK(c.size() == 10);
    CHECK(c.get_allocator().record == &one);
  }
  using propagating = test::counting_allocator<tracked, true>;
  {
    tbb::concurrent_vector<tracked, propagating> a{propagating(one)};
    a.grow_by(10, 1);
    tbb::concurrent_vector<tracked, propagating> b{propagating(two)};
    b.grow_by(20, 2);
    swap(a, b);
    CHECK(a.get_allocator().record == &two);
    CHECK(a.size() == 20);
    a = b;
    CHECK(a.get_allocator().record == &one);
    b = std::move(a);
    CHECK(b.size() == 10);
  }
  CHECK(one.blocks == 0);
  CHECK(two.blocks == 0);
  CHECK(tracked::live == 0);
}

}  // namespace

TEST_CASE("a failed assignment leaves the elements that were copied, and no others") {
  for (int n = 0; n <= 20; ++n) {
    test::memory_record record;
    vector source{allocator(record)}, target{allocator(record)};
    for (int i = 0; i != 20; ++i) source.push_back(i);
    for (int i = 0; i != 30; ++i) target.push_back(100);
    tracked::fail_in(n);
    bool const failed = throws([&] { target = source; });
    tracked::fail_never();
    CHECK(failed == (n < 20));
    REQUIRE(target.size() == static_cast<std::size_t>(n));
    for (int i = 0; i != n; ++i) CHECK_UNARY(target[static_cast<std::size_t>(i)].value == i);
    CHECK(tracked::live == 20 + n);
    target.push_back(7);
    CHECK(target.back().value == 7);
  }
  CHECK(tracked::live == 0);
}

TEST_CASE("a failed move to another allocator's memory leaves each element in one of the two vectors") {
  auto const move_both = [](int failing_element, int failing_block) {
    test::memory_record one, other;
    vector source{allocator(one)}, target{allocator(other)};
    for (int i = 0; i != 20; ++i) source.push_back(i);
    target.reserve(2);  // so that there is memory for some
    tracked::fail_in(failing_element);
    other.countdown = failing_block;
    bool const failed = throws([&] { target = std::move(source); });
    tracked::fail_never();
    other.countdown = -1;
    int const there = static_cast<int>(target.size());
    CHECK(failed == (there != 20));
    for (int i = 0; i != there; ++i) REQUIRE(target[static_cast<std::size_t>(i)].value == i);
    CHECK(source.size() == (failed ? 20 : 0));
    for (std::size_t i = target.size(); i < source.size(); ++i) REQUIRE(source[i].value == static_cast<int>(i));
    CHECK(tracked::live == there + static_cast<int>(source.size()));
    return there;
  };
  for (int n = 0; n <= 20; ++n) CHECK(move_both(n, -1) == n);
  CHECK(move_both(-1, 0) == 0);
  CHECK(tracked::live == 0);
}

TEST_CASE("assign() leaves no elements when there is not enough memory") {
  std::vector<tracked> const source(1000, tracked(4));
  test::memory_record record;
  auto const fails = [&](auto const& assign) {
    int const failures = fail_everywhere([&](int n) { record.countdown = n; },
                                         [&] {
                                           vector v{allocator(record)};
                                           bool const failed = throws([&] {
                                             v.reserve(2);  // so that there is memory for some
                                             assign(v);
                                           });
                                           CHECK(v.size() == (failed ? 0 : 1000));
                                           CHECK(tracked::live == 1000 + static_cast<int>(v.size()));
                                           return failed;
                                         });
    CHECK(failures >= 4);
  };
  fails([](vector& v) { v.assign(1000, 3); });
  fails([&](vector& v) { v.assign(source.begin(), source.end()); });
  CHECK(record.blocks == 0);
}
