// SPDX-License-Identifier: Apache-2.0
#include <tbb/combinable.h>
#include <tbb/enumerable_thread_specific.h>

#include <doctest/doctest.h>

#include <atomic>
#include <iterator>
#include <list>
#include <memory>
#include <numeric>
#include <ranges>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "shared_record.h"
#include "thread_company.h"
#include "tracked.h"

namespace {

using test::company;
using test::in_thread;
using test::shared_record_allocator;

template <typename T, tbb::ets_key_usage_type Key = tbb::ets_no_key>
using ets = tbb::enumerable_thread_specific<T, tbb::cache_aligned_allocator<T>, Key>;

static_assert(std::random_access_iterator<ets<int>::iterator>);
static_assert(std::is_convertible_v<ets<int>::iterator, ets<int>::const_iterator>);
static_assert(std::is_convertible_v<ets<int>::const_iterator, ets<int>::iterator>);  // as oneTBB's; CGAL relies on it
static_assert(std::ranges::random_access_range<ets<int>>);

TEST_CASE_TEMPLATE("each thread has its own element", Key,
                   std::integral_constant<tbb::ets_key_usage_type, tbb::ets_no_key>,
                   std::integral_constant<tbb::ets_key_usage_type, tbb::ets_key_per_instance>,
                   std::integral_constant<tbb::ets_key_usage_type, tbb::ets_suspend_aware>) {
  ets<int, Key::value> e;
  CHECK(e.empty());
  bool exists = true;
  int& mine = e.local(exists);
  CHECK_FALSE(exists);
  CHECK(mine == 0);
  mine = 1;
  CHECK(&e.local(exists) == &mine);
  CHECK(exists);
  company others;
  for (int t = 2; t != 12; ++t) {
    others.add([&] {
      int& theirs = e.local();
      CHECK(&theirs != &mine);
      CHECK(theirs == 0);
      theirs = t;
      CHECK(&e.local() == &theirs);
    });
  }
  CHECK(e.size() == 11);
  CHECK(e.local() == 1);
  CHECK(std::vector<int>(e.begin(), e.end()) == std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  CHECK(e.combine([](int a, int b) { return a + b; }) == 66);
  int sum = 0;
  e.combine_each([&](int const& i) { sum += i; });
  CHECK(sum == 66);
  e.combine_each([](int& i) { i *= 2; });
  CHECK(e.local() == 2);
  auto const r = e.range(2);
  CHECK(r.size() == 11);
  CHECK(r.is_divisible());
  CHECK(static_cast<decltype(e) const&>(e).range().begin()[1] == 4);
  e.clear();
  CHECK(e.empty());
  CHECK(e.local(exists) == 0);
  CHECK_FALSE(exists);
}

struct pair_of {
  pair_of(int x, std::string y) : a(x), b(std::move(y)) {}
  int a;
  std::string b;
};

TEST_CASE("elements are made as the constructor says") {
  CHECK(ets<int>([] { return 7; }).local() == 7);
  CHECK(ets<int>(8).local() == 8);
  std::string const exemplar = "exemplar";
  CHECK(ets<std::string>(exemplar).local() == exemplar);
  CHECK(ets<std::string>("text").local() == "text");
  CHECK(ets<std::string>(3, 'x').local() == "xxx");
  CHECK(ets<std::vector<int>>(4, 2).local().size() == 4);
  ets<pair_of> e(1, "one");
  CHECK(e.local().b == "one");
  in_thread([&] { CHECK(e.local().a == 1); });
  ets<std::unique_ptr<int>> m([] { return std::make_unique<int>(3); });
  CHECK(*m.local() == 3);
  int made = 0;
  ets<int> counted([&made] { return ++made; });
  CHECK(counted.combine([](int a, int) { return a; }) == 1);
  CHECK(counted.empty());
}

TEST_CASE("copies and moves keep the owners") {
  ets<int> a(5);
  a.local() = 1;
  in_thread([&] { a.local() = 2; });
  ets<int> b(a);
  bool exists = false;
  CHECK(b.local(exists) == 1);
  CHECK(exists);
  CHECK(b.size() == 2);
  ets<int, tbb::ets_key_per_instance> c(a);
  CHECK(c.local(exists) == 1);
  CHECK(exists);
  in_thread([&] { CHECK(c.local() == 2); });  // goes on with that of the one that has ended
  b.local() = 9;
  int* const place = &b.local();
  ets<int> d(std::move(b));
  CHECK(&d.local() == place);
  CHECK(b.empty());  // NOLINT: documented
  d = a;
  CHECK(d.local() == 1);
  d = std::move(a);
  CHECK(d.local() == 1);
  CHECK(d.size() == 2);
  c = d;
  CHECK(c.local() == 1);
  c = std::move(d);
  CHECK(c.local(exists) == 1);
  CHECK(exists);
  CHECK(d.empty());  // NOLINT
}

TEST_CASE("a moved container is found by threads that used it, a stale slot is not") {
  auto a = std::make_unique<ets<int>>(1);
  a->local() = 3;
  for (int i = 0; i != 100; ++i) {  // the same slot again and again
    auto b = std::make_unique<ets<int>>(i);
    CHECK(b->local() == i);
    b->local() = -1;
  }
  CHECK(a->local() == 3);
  std::vector<ets<int>> many(200);
  for (std::size_t i = 0; i != many.size(); ++i) many[i].local() = static_cast<int>(i);
  many.resize(400);
  for (std::size_t i = 0; i != 200; ++i) REQUIRE(many[i].local() == static_cast<int>(i));
  for (std::size_t i = 200; i != 400; ++i) REQUIRE(many[i].local() == 0);
}

TEST_CASE("making an element that throws leaves nothing behind") {
  using test::tracked;
  {
    ets<tracked> e(tracked(4));
    for (int n = 0; n != 2; ++n) {
      tracked::fail_in(0);
      CHECK_THROWS_AS(e.local(), std::runtime_error);
      tracked::fail_never();
      CHECK(e.empty());
    }
    CHECK(e.local().value == 4);
    CHECK(tracked::live == 2);
    e.clear();
    CHECK(tracked::live == 1);
  }
  CHECK(tracked::live == 0);
}

TEST_CASE("copies and combinations of elements that throw anywhere leave nothing behind") {
  using test::tracked;
  ets<tracked> e(tracked(4));
  {
    company others;
    for (int t = 0; t != 5; ++t) others.add([&] { e.local().value += t; });
  }
  int failures = 0;
  for (bool failed = true; failed; ++failures) {
    failed = false;
    int const before = tracked::live;
    tracked::fail_in(failures);
    try {
      ets<tracked> copy(e);
      tbb::enumerable_thread_specific<tracked, std::allocator<tracked>, tbb::ets_key_per_instance> other(copy);
      other = copy;
      ets<tracked> moved(std::move(other));
      tracked const sum = moved.combine([](tracked const& a, tracked const& b) { return tracked(a.value + b.value); });
      CHECK(sum.value == 30);
    } catch (std::runtime_error const&) {
      failed = true;
    }
    tracked::fail_never();
    CHECK(tracked::live == before);
    CHECK(e.size() == 5);
  }
  CHECK(failures > 20);
}

TEST_CASE("a failing allocation leaves nothing behind, wherever it fails") {
  test::memory_record& record = shared_record_allocator<int>::all;
  int failures = 0;
  for (int n = 0;; ++n) {
    tbb::enumerable_thread_specific<std::string, shared_record_allocator<std::string>> e("initial");
    record.countdown = n;
    int failed = 0;
    {
      company others;
      for (int t = 0; t != 12; ++t) {
        others.add([&] {
          try {
            e.local() += "!";
          } catch (std::bad_alloc const&) {
            ++failed;
          }
        });
      }
    }
    record.countdown = -1;
    CHECK(e.size() + static_cast<std::size_t>(failed) == 12);
    for (std::string const& s : e) CHECK(s == "initial!");
    if (failed == 0) break;
    failures += failed;
  }
  CHECK(failures >= 14);
  CHECK(record.blocks == 0);
}

TEST_CASE("elements outlive their threads, and the container may end before a thread that used it") {
  test::memory_record& record = shared_record_allocator<int>::all;
  std::atomic<int> step{0};
  auto e = std::make_unique<tbb::enumerable_thread_specific<int, shared_record_allocator<int>>>();
  std::thread other([&] {
    e->local() = 5;
    step = 1;
    while (step != 2) std::this_thread::yield();
    ets<int> another;
    CHECK(another.local() == 0);
  });
  while (step != 1) std::this_thread::yield();
  e.reset();
  CHECK(record.blocks == 0);
  step = 2;
  other.join();
}

TEST_CASE("suspend-aware storage follows the stack") {
  ets<int, tbb::ets_suspend_aware> e;
  e.local() = 1;
  ashlar::set_stack_identity(64);
  e.local() = 2;
  in_thread([&] {
    ashlar::set_stack_identity(64);  // resumed here
    CHECK(e.local() == 2);
    ashlar::set_stack_identity(0);
    CHECK(e.local() == 0);
  });
  CHECK(e.local() == 2);
  ashlar::set_stack_identity(0);
  CHECK(e.local() == 1);
  CHECK(e.size() == 3);
}

TEST_CASE("flattened2d walks over the elements of the elements") {
  ets<std::vector<int>> e;
  CHECK(tbb::flatten2d(e).begin() == tbb::flatten2d(e).end());
  e.local() = {1, 2};
  {
    company others;
    others.add([&] { e.local().clear(); });
    others.add([&] { e.local() = {3}; });
    others.add([&] { e.local().clear(); });
  }
  tbb::flattened2d<ets<std::vector<int>>> flat(e);
  CHECK(flat.size() == 3);
  CHECK(std::vector<int>(flat.begin(), flat.end()) == std::vector<int>{1, 2, 3});
  auto const& constant = flat;
  CHECK(std::accumulate(constant.begin(), constant.end(), 0) == 6);
  for (int& i : flat) i += 10;
  CHECK(e.local()[1] == 12);
  auto const part = tbb::flatten2d(e, e.begin() + 1, e.end());
  CHECK(part.size() == 1);
  CHECK(*part.begin() == 13);
  decltype(flat)::const_iterator const converted = flat.begin();
  CHECK(converted == constant.begin());
  ets<std::list<std::string>> lists;
  lists.local().push_back("x");
  CHECK(tbb::flatten2d(lists).begin()->size() == 1);
}

TEST_CASE("combinable") {
  tbb::combinable<int> c([] { return 1; });
  CHECK(c.combine([](int a, int b) { return a + b; }) == 1);
  c.local() = 2;
  bool exists = false;
  in_thread([&] { c.local(exists) = 5; });
  CHECK_FALSE(exists);
  CHECK(c.combine([](int a, int b) { return a + b; }) == 7);
  int n = 0;
  c.combine_each([&](int) { ++n; });
  CHECK(n == 2);
  tbb::combinable<int> d(c);
  CHECK(d.local(exists) == 2);
  CHECK(exists);
  d = std::move(c);
  CHECK(d.local() == 2);
  d.clear();
  CHECK(d.local() == 1);
  CHECK(tbb::combinable<int>().local() == 0);
}

}  // namespace
