// SPDX-License-Identifier: Apache-2.0
// Exceptions at every allocation and every construction in the unordered and ordered containers.
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_set.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_unordered_set.h>

#include "map_cases.h"

namespace {

using test::fragile;
using allocator = test::counting_allocator<std::pair<int const, int>>;
using hash = std::hash<int>;
using equal = std::equal_to<int>;

struct fragile_hash {
  std::size_t operator()(fragile const& f) const { return static_cast<std::size_t>(f.value); }
};

// The user's functions on keys; the n-th call of any of them throws.
struct functions {
  static inline long calls = 0;
  static inline long fail_at = -1;
  static void call() {
    if (calls++ == fail_at) throw std::runtime_error("functions");
  }
};
struct throwing_hash {
  std::size_t operator()(int k) const { return functions::call(), static_cast<std::size_t>(k % 7); }
};
struct throwing_equal {
  bool operator()(int a, int b) const { return functions::call(), a == b; }
};
struct throwing_less {
  bool operator()(int a, int b) const { return functions::call(), a < b; }
};
struct throwing_compare {
  std::size_t hash(int k) const { return throwing_hash()(k); }
  bool equal(int a, int b) const { return throwing_equal()(a, b); }
};

// Inserts, looks up and erases beside functions that throw: an operation that throws changes nothing.
template <typename Map, typename Erase>
void function_failure_case(Erase const& erase) {
  long const failures = test::fail_everywhere(functions::fail_at, functions::calls, [&erase] {
    bool failed = false;
    Map m;
    auto const attempt = [&failed, &m](auto const& f) {
      std::size_t const size = m.size();
      try {
        return f();
      } catch (std::runtime_error&) {
        failed = true;
        CHECK(m.size() == size);
        return f();
      }
    };
    for (int i = 0; i < 24; ++i) {
      attempt([&] { return m.insert({i, i}), 0; });
      CHECK(m.size() == static_cast<std::size_t>(i + 1));
    }
    for (int i = 0; i < 24; ++i) CHECK(attempt([&] { return m.count(i); }) == 1);
    for (int i = 0; i < 24; i += 2) CHECK(attempt([&] { return erase(m, i); }) == 1);
    for (int i = 0; i < 24; ++i) CHECK(attempt([&] { return m.count(i); }) == static_cast<std::size_t>(i % 2));
    CHECK(test::walk(m) == 12);
    return failed;
  });
  CHECK(failures > 90);
}
// Merges beside a comparison that throws at any call: each element stays in one of the two.
template <typename Map, typename Other>
void merge_failure_case() {
  long const failures = test::fail_everywhere(functions::fail_at, functions::calls, [] {
    Map m;
    Other other;
    for (int i = 0; i < 24; ++i) {
      try {
        if (i % 2) m.insert({i, i});
        if (i % 2 == 0) other.insert({i / 3, i});
      } catch (std::runtime_error&) {
        return true;
      }
    }
    std::size_t const all = m.size() + other.size();
    bool failed = false;
    try {
      m.merge(other);
    } catch (std::runtime_error&) {
      failed = true;
    }
    functions::fail_at = -1;
    CHECK(m.size() + other.size() == all);
    CHECK(test::walk(m) == static_cast<long>(m.size()));
    CHECK(test::walk(other) == static_cast<long>(other.size()));
    m.merge(other);
    CHECK(m.size() + other.size() == all);
    m.merge(m);
    CHECK(m.size() + other.size() == all);
    return failed;
  });
  CHECK(failures > 40);
}
constexpr auto erase_unsafely = [](auto& m, int key) { return m.unsafe_erase(key); };

}  // namespace

TEST_CASE("unordered: a failing allocation anywhere changes nothing") {
  test::allocation_failure_case([](test::account& books) {
    return tbb::concurrent_unordered_map<int, int, hash, equal, allocator>{allocator(books)};
  });
  test::allocation_failure_case([](test::account& books) {
    return tbb::concurrent_unordered_multimap<int, int, hash, equal, allocator>{allocator(books)};
  });
}
TEST_CASE("unordered: a failing constructor anywhere changes nothing") {
  test::constructor_failure_case<tbb::concurrent_unordered_map<int, fragile>>();
  test::element_failure_case<tbb::concurrent_unordered_multimap<int, fragile>>(
      [](int i) { return std::pair(i % 5, i); });
  test::element_failure_case<tbb::concurrent_unordered_set<fragile, fragile_hash>>([](int i) { return i; });
  test::element_failure_case<tbb::concurrent_unordered_multiset<fragile, fragile_hash>>([](int i) { return i % 5; });
}
TEST_CASE("ordered: a failing allocation anywhere changes nothing") {
  test::allocation_failure_case(
      [](test::account& books) { return tbb::concurrent_map<int, int, std::less<int>, allocator>{allocator(books)}; });
  test::allocation_failure_case([](test::account& books) {
    return tbb::concurrent_multimap<int, int, std::less<int>, allocator>{allocator(books)};
  });
}
TEST_CASE("ordered: a failing constructor anywhere changes nothing") {
  test::constructor_failure_case<tbb::concurrent_map<int, fragile>>();
  test::element_failure_case<tbb::concurrent_multimap<int, fragile>>([](int i) { return std::pair(i % 5, i); });
  test::element_failure_case<tbb::concurrent_set<fragile>>([](int i) { return i; });
  test::element_failure_case<tbb::concurrent_multiset<fragile>>([](int i) { return i % 5; });
}
TEST_CASE("maps: a user's function that throws anywhere changes nothing") {
  function_failure_case<tbb::concurrent_hash_map<int, int, throwing_compare>>(
      [](auto& m, int key) { return m.erase(key) ? 1 : 0; });
  function_failure_case<tbb::concurrent_unordered_map<int, int, throwing_hash, throwing_equal>>(erase_unsafely);
  function_failure_case<tbb::concurrent_unordered_multimap<int, int, throwing_hash, throwing_equal>>(erase_unsafely);
  function_failure_case<tbb::concurrent_map<int, int, throwing_less>>(erase_unsafely);
  function_failure_case<tbb::concurrent_multimap<int, int, throwing_less>>(erase_unsafely);
}
TEST_CASE("ordered: a comparison that throws in merge loses no element") {
  using map = tbb::concurrent_map<int, int, throwing_less>;
  using multimap = tbb::concurrent_multimap<int, int, throwing_less>;
  merge_failure_case<map, map>();
  merge_failure_case<map, multimap>();
  merge_failure_case<multimap, map>();
  merge_failure_case<multimap, multimap>();
}
TEST_CASE("unordered: a function that throws in merge loses no element") {
  using map = tbb::concurrent_unordered_map<int, int, throwing_hash, throwing_equal>;
  using multimap = tbb::concurrent_unordered_multimap<int, int, throwing_hash, throwing_equal>;
  merge_failure_case<map, map>();
  merge_failure_case<multimap, map>();
}
