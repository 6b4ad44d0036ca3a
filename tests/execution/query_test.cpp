// SPDX-License-Identifier: Apache-2.0
// Algorithms of <algorithm> that only look.
#include "ranges.h"

#include <doctest/doctest.h>

#include <algorithm>

using ranges::numbers;
using ranges::on_forward;
using ranges::on_random_access;
using ranges::sizes;

namespace {
constexpr auto is_even = [](int i) { return i % 2 == 0; };
constexpr auto is_small = [](int i) { return i < 5; };

// Where an algorithm ended, as a number.
template <typename Range, typename Iterator>
std::ptrdiff_t at(Range& r, Iterator i) {
  return std::distance(r.begin(), i);
}
}  // namespace

TEST_CASE("all_of, any_of, none_of, count, count_if") {
  on_forward([](auto const& policy, auto make) {
    for (int const n : sizes) {
      auto const v = numbers(n);
      auto r = make(v);
      CHECK(std::all_of(policy, r.begin(), r.end(), is_even) == std::all_of(v.begin(), v.end(), is_even));
      CHECK(std::any_of(policy, r.begin(), r.end(), is_even) == std::any_of(v.begin(), v.end(), is_even));
      CHECK(std::none_of(policy, r.begin(), r.end(), [](int i) { return i < 0; }));
      CHECK(std::count(policy, r.begin(), r.end(), 7) == std::count(v.begin(), v.end(), 7));
      CHECK(std::count_if(policy, r.begin(), r.end(), is_even) == std::count_if(v.begin(), v.end(), is_even));
    }
  });
}

TEST_CASE("find, find_if, find_if_not, find_first_of, adjacent_find") {
  on_forward([](auto const& policy, auto make) {
    for (int const n : sizes) {
      auto v = numbers(n);
      auto r = make(v);
      int const wanted = n == 0 ? 0 : v[static_cast<std::size_t>(n / 2)];
      CHECK(at(r, std::find(policy, r.begin(), r.end(), wanted)) == at(v, std::find(v.begin(), v.end(), wanted)));
      CHECK(at(r, std::find(policy, r.begin(), r.end(), -1)) == n);
      CHECK(at(r, std::find_if(policy, r.begin(), r.end(), is_small)) ==
            at(v, std::find_if(v.begin(), v.end(), is_small)));
      CHECK(at(r, std::find_if_not(policy, r.begin(), r.end(), is_even)) ==
            at(v, std::find_if_not(v.begin(), v.end(), is_even)));
      int const some[] = {3, 4, 5};
      CHECK(at(r, std::find_first_of(policy, r.begin(), r.end(), some, some + 3)) ==
            at(v, std::find_first_of(v.begin(), v.end(), some, some + 3)));
      CHECK(at(r, std::adjacent_find(policy, r.begin(), r.end())) == at(v, std::adjacent_find(v.begin(), v.end())));
    }
  });
}

TEST_CASE("find_end, search, search_n") {
  on_forward([](auto const& policy, auto make) {
    for (int const n : sizes) {
      auto v = numbers(n, 4);
      auto r = make(v);
      int const few[] = {1, 2, 3};
      CHECK(at(r, std::find_end(policy, r.begin(), r.end(), few, few + 3)) ==
            at(v, std::find_end(v.begin(), v.end(), few, few + 3)));
      CHECK(at(r, std::search(policy, r.begin(), r.end(), few, few + 3)) ==
            at(v, std::search(v.begin(), v.end(), few, few + 3)));
      CHECK(at(r, std::search_n(policy, r.begin(), r.end(), 3, 2)) == at(v, std::search_n(v.begin(), v.end(), 3, 2)));
    }
  });
}

TEST_CASE("equal, mismatch, lexicographical_compare") {
  on_forward([](auto const& policy, auto make) {
    for (int const n : sizes) {
      auto const v = numbers(n);
      auto r = make(v);
      auto same = make(v);
      CHECK(std::equal(policy, r.begin(), r.end(), same.begin()));
      CHECK(std::equal(policy, r.begin(), r.end(), same.begin(), same.end()));
      CHECK(at(r, std::mismatch(policy, r.begin(), r.end(), same.begin()).first) == n);
      CHECK(!std::lexicographical_compare(policy, r.begin(), r.end(), same.begin(), same.end()));
      if (n == 0) continue;
      auto changed = v;
      changed[static_cast<std::size_t>(n / 2)] += 1;
      auto other = make(changed);
      CHECK(!std::equal(policy, r.begin(), r.end(), other.begin()));
      CHECK(at(r, std::mismatch(policy, r.begin(), r.end(), other.begin()).first) == n / 2);
      CHECK(std::lexicographical_compare(policy, r.begin(), r.end(), other.begin(), other.end()));
    }
  });
}

TEST_CASE("min_element, max_element, minmax_element: the first smallest, the first or last greatest") {
  on_forward([](auto const& policy, auto make) {
    for (int const n : sizes) {
      auto v = numbers(n);
      auto r = make(v);
      CHECK(at(r, std::min_element(policy, r.begin(), r.end())) == at(v, std::min_element(v.begin(), v.end())));
      CHECK(at(r, std::max_element(policy, r.begin(), r.end())) == at(v, std::max_element(v.begin(), v.end())));
      auto const both = std::minmax_element(policy, r.begin(), r.end());
      auto const expected = std::minmax_element(v.begin(), v.end());
      CHECK(at(r, both.first) == at(v, expected.first));
      CHECK(at(r, both.second) == at(v, expected.second));
    }
  });
}

TEST_CASE("is_sorted, is_sorted_until, is_partitioned, includes") {
  on_forward([](auto const& policy, auto make) {
    for (int const n : sizes) {
      auto v = numbers(n);
      std::sort(v.begin(), v.end());
      auto r = make(v);
      CHECK(std::is_sorted(policy, r.begin(), r.end()));
      CHECK(at(r, std::is_sorted_until(policy, r.begin(), r.end())) == n);
      CHECK(std::is_partitioned(policy, r.begin(), r.end(), is_small));
      CHECK(std::includes(policy, r.begin(), r.end(), v.begin(), v.begin() + n / 2));
      if (n < 3) continue;
      v[static_cast<std::size_t>(n) - 1] = -1;
      auto broken = make(v);
      CHECK(!std::is_sorted(policy, broken.begin(), broken.end()));
      CHECK(at(broken, std::is_sorted_until(policy, broken.begin(), broken.end())) == n - 1);
      CHECK(!std::is_partitioned(policy, broken.begin(), broken.end(), [](int i) { return i == -1; }));
      CHECK(!std::includes(policy, r.begin(), r.end(), v.begin() + n - 1, v.end()));
    }
  });
}

TEST_CASE("is_heap, is_heap_until") {
  on_random_access([](auto const& policy, auto make) {
    for (int const n : sizes) {
      auto v = numbers(n);
      std::make_heap(v.begin(), v.end());
      auto r = make(v);
      CHECK(std::is_heap(policy, r.begin(), r.end()));
      CHECK(at(r, std::is_heap_until(policy, r.begin(), r.end())) == n);
      if (n < 3) continue;
      v[static_cast<std::size_t>(n) - 1] = 1 << 20;
      auto broken = make(v);
      CHECK(!std::is_heap(policy, broken.begin(), broken.end()));
      CHECK(at(broken, std::is_heap_until(policy, broken.begin(), broken.end())) == n - 1);
    }
  });
}
