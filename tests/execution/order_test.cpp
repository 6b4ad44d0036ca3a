// SPDX-License-Identifier: Apache-2.0
// Sorting, partitioning and merging.
#include "ranges.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

using ranges::contents;
using ranges::numbers;
using ranges::on_bidirectional;
using ranges::on_forward;
using ranges::on_random_access;
using ranges::sizes;

namespace {
constexpr auto is_even = [](int i) { return i % 2 == 0; };
constexpr auto tens = [](int a, int b) { return a / 10 < b / 10; };

std::vector<int> sorted(std::vector<int> v) {
  std::sort(v.begin(), v.end());
  return v;
}
}  // namespace

TEST_CASE("sort and stable_sort") {
  on_random_access([](auto const& policy, auto make) {
    for (int const n : sizes) {
      auto const v = numbers(n);
      auto r = make(v);
      std::sort(policy, r.begin(), r.end());
      CHECK(contents(r) == sorted(v));
      std::sort(policy, r.begin(), r.end(), std::greater<>());
      auto expected = sorted(v);
      std::reverse(expected.begin(), expected.end());
      CHECK(contents(r) == expected);
      r = make(v);
      std::stable_sort(policy, r.begin(), r.end(), tens);
      expected = v;
      std::stable_sort(expected.begin(), expected.end(), tens);
      CHECK(contents(r) == expected);
    }
  });
}

TEST_CASE("partial_sort, partial_sort_copy, nth_element") {
  on_random_access([](auto const& policy, auto make) {
    for (int const n : sizes) {
      auto const v = numbers(n);
      auto const whole = sorted(v);
      std::vector<int> const half(whole.begin(), whole.begin() + n / 2);
      auto r = make(v);
      std::partial_sort(policy, r.begin(), r.begin() + n / 2, r.end());
      CHECK(std::vector<int>(r.begin(), r.begin() + n / 2) == half);
      r = make(v);
      auto to = make(half);
      CHECK(std::partial_sort_copy(policy, r.begin(), r.end(), to.begin(), to.end()) == to.end());
      CHECK(contents(to) == half);
      if (n == 0) continue;
      std::nth_element(policy, r.begin(), r.begin() + n / 2, r.end());
      CHECK(r.begin()[n / 2] == whole[static_cast<std::size_t>(n / 2)]);
    }
  });
}

TEST_CASE("partition, partition_copy") {
  on_forward([](auto const& policy, auto make) {
    for (int const n : sizes) {
      auto const v = numbers(n);
      auto r = make(v);
      auto yes = make(v);
      auto no = make(v);
      auto const evens = std::count_if(v.begin(), v.end(), is_even);
      auto const ends = std::partition_copy(policy, r.begin(), r.end(), yes.begin(), no.begin(), is_even);
      CHECK(std::distance(yes.begin(), ends.first) == evens);
      CHECK(std::distance(no.begin(), ends.second) == n - evens);
      CHECK(std::all_of(yes.begin(), ends.first, is_even));
      auto const middle = std::partition(policy, r.begin(), r.end(), is_even);
      CHECK(std::distance(r.begin(), middle) == evens);
      CHECK(std::all_of(r.begin(), middle, is_even));
      CHECK(std::none_of(middle, r.end(), is_even));
      CHECK(sorted(contents(r)) == sorted(v));
    }
  });
}

TEST_CASE("stable_partition and inplace_merge") {
  on_bidirectional([](auto const& policy, auto make) {
    for (int const n : sizes) {
      auto v = numbers(n);
      auto r = make(v);
      std::stable_partition(policy, r.begin(), r.end(), is_even);
      std::stable_partition(v.begin(), v.end(), is_even);
      CHECK(contents(r) == v);
      std::sort(v.begin(), v.begin() + n / 3);
      std::sort(v.begin() + n / 3, v.end());
      r = make(v);
      std::inplace_merge(policy, r.begin(), std::next(r.begin(), n / 3), r.end());
      CHECK(contents(r) == sorted(v));
    }
  });
}

TEST_CASE("merge and the set algorithms") {
  on_forward([](auto const& policy, auto make) {
    for (int const n : sizes) {
      auto const a = sorted(numbers(n));
      auto const b = sorted(numbers(n / 2 + 1, 700));
      auto first = make(a);
      auto second = make(b);
      auto to = make(std::vector<int>(a.size() + b.size()));
      std::vector<int> expected;
      auto const result = [&](auto end) { return std::vector<int>(to.begin(), end); };
      auto const ask = [&](auto algorithm) {
        expected.clear();
        algorithm(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
      };
      ask([](auto... i) { std::merge(i...); });
      CHECK(result(std::merge(policy, first.begin(), first.end(), second.begin(), second.end(), to.begin())) ==
            expected);
      ask([](auto... i) { std::set_union(i...); });
      CHECK(result(std::set_union(policy, first.begin(), first.end(), second.begin(), second.end(), to.begin())) ==
            expected);
      ask([](auto... i) { std::set_intersection(i...); });
      CHECK(result(std::set_intersection(policy, first.begin(), first.end(), second.begin(), second.end(),
                                         to.begin())) == expected);
      ask([](auto... i) { std::set_difference(i...); });
      CHECK(result(std::set_difference(policy, first.begin(), first.end(), second.begin(), second.end(), to.begin())) ==
            expected);
      ask([](auto... i) { std::set_symmetric_difference(i...); });
      CHECK(result(std::set_symmetric_difference(policy, first.begin(), first.end(), second.begin(), second.end(),
                                                 to.begin())) == expected);
    }
  });
}
