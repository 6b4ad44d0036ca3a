// SPDX-License-Identifier: Apache-2.0
// The algorithms of <numeric>.
#include "ranges.h"

#include <doctest/doctest.h>

#include <functional>
#include <numeric>

using ranges::contents;
using ranges::numbers;
using ranges::on_forward;
using ranges::sizes;

namespace {
constexpr auto twice = [](int i) { return i * 2; };
constexpr auto plus = std::plus<>();
}  // namespace

TEST_CASE("reduce and transform_reduce") {
  on_forward([](auto const& policy, auto make) {
    for (int const n : sizes) {
      auto const v = numbers(n);
      int const sum = std::accumulate(v.begin(), v.end(), 0);
      auto a = make(v);
      auto b = make(v);
      CHECK(std::reduce(policy, a.begin(), a.end()) == sum);
      CHECK(std::reduce(policy, a.begin(), a.end(), 5) == sum + 5);
      CHECK(std::reduce(policy, a.begin(), a.end(), 5, plus) == sum + 5);
      CHECK(std::transform_reduce(policy, a.begin(), a.end(), 5, plus, twice) == 2 * sum + 5);
      auto const square = [](int i, int j) { return i % 7 * (j % 7); };
      int const squares = std::inner_product(v.begin(), v.end(), v.begin(), 1, plus, square);
      CHECK(std::transform_reduce(policy, a.begin(), a.end(), b.begin(), 1, plus, square) == squares);
    }
  });
}

TEST_CASE("the scans") {
  on_forward([](auto const& policy, auto make) {
    for (int const n : sizes) {
      auto const v = numbers(n);
      auto r = make(v);
      auto to = make(v);
      auto expected = v;
      std::inclusive_scan(v.begin(), v.end(), expected.begin());
      std::inclusive_scan(policy, r.begin(), r.end(), to.begin());
      CHECK(contents(to) == expected);
      std::inclusive_scan(policy, r.begin(), r.end(), to.begin(), plus);
      CHECK(contents(to) == expected);
      std::inclusive_scan(v.begin(), v.end(), expected.begin(), plus, 3);
      std::inclusive_scan(policy, r.begin(), r.end(), to.begin(), plus, 3);
      CHECK(contents(to) == expected);
      std::exclusive_scan(v.begin(), v.end(), expected.begin(), 3);
      std::exclusive_scan(policy, r.begin(), r.end(), to.begin(), 3);
      CHECK(contents(to) == expected);
      std::transform_inclusive_scan(v.begin(), v.end(), expected.begin(), plus, twice);
      std::transform_inclusive_scan(policy, r.begin(), r.end(), to.begin(), plus, twice);
      CHECK(contents(to) == expected);
      std::transform_exclusive_scan(v.begin(), v.end(), expected.begin(), 3, plus, twice);
      std::transform_exclusive_scan(policy, r.begin(), r.end(), to.begin(), 3, plus, twice);
      CHECK(contents(to) == expected);
    }
  });
}

TEST_CASE("scans of floating-point numbers give the same sums each time") {
  std::vector<double> v(50000);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = 1.0 / static_cast<double>(i + 1);
  std::vector<double> first(v.size());
  std::vector<double> again(v.size());
  std::inclusive_scan(std::execution::par, v.begin(), v.end(), first.begin());
  CHECK(first.back() == doctest::Approx(std::accumulate(v.begin(), v.end(), 0.0)));
  for (int round = 0; round < 5; ++round) {
    std::inclusive_scan(std::execution::par, v.begin(), v.end(), again.begin());
    CHECK(first == again);
  }
}

TEST_CASE("adjacent_difference") {
  on_forward([](auto const& policy, auto make) {
    for (int const n : sizes) {
      auto const v = numbers(n);
      auto r = make(v);
      auto to = make(v);
      auto expected = v;
      std::adjacent_difference(v.begin(), v.end(), expected.begin());
      std::adjacent_difference(policy, r.begin(), r.end(), to.begin());
      CHECK(contents(to) == expected);
      std::adjacent_difference(policy, r.begin(), r.end(), to.begin(), [](int i, int j) { return i - j; });
      CHECK(contents(to) == expected);
    }
  });
}
