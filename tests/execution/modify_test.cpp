// SPDX-License-Identifier: Apache-2.0
// Algorithms of <algorithm> that write element by element.
#include "ranges.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>

using ranges::contents;
using ranges::numbers;
using ranges::on_bidirectional;
using ranges::on_forward;
using ranges::sizes;

namespace {
constexpr auto is_even = [](int i) { return i % 2 == 0; };
}  // namespace

TEST_CASE("for_each, for_each_n, generate, generate_n, fill, fill_n") {
  on_forward([](auto const& policy, auto make) {
    for (int const n : sizes) {
      auto v = numbers(n);
      auto r = make(v);
      std::for_each(policy, r.begin(), r.end(), [](int& i) { i += 3; });
      std::for_each(v.begin(), v.end(), [](int& i) { i += 3; });
      CHECK(contents(r) == v);
      CHECK(std::for_each_n(policy, r.begin(), n / 2, [](int& i) { i += 3; }) == std::next(r.begin(), n / 2));
      std::for_each_n(v.begin(), n / 2, [](int& i) { i += 3; });
      CHECK(contents(r) == v);
      std::fill(policy, r.begin(), r.end(), 9);
      CHECK(contents(r) == std::vector<int>(v.size(), 9));
      CHECK(std::fill_n(policy, r.begin(), n, 8) == r.end());
      CHECK(contents(r) == std::vector<int>(v.size(), 8));
      std::generate(policy, r.begin(), r.end(), [] { return 7; });
      CHECK(contents(r) == std::vector<int>(v.size(), 7));
      CHECK(std::generate_n(policy, r.begin(), n, [] { return 6; }) == r.end());
      CHECK(contents(r) == std::vector<int>(v.size(), 6));
    }
  });
}

TEST_CASE("copy, copy_n, copy_if, move, swap_ranges") {
  on_forward([](auto const& policy, auto make) {
    for (int const n : sizes) {
      auto const v = numbers(n);
      std::vector<int> const zeros(v.size());
      auto from = make(v);
      auto to = make(zeros);
      CHECK(std::copy(policy, from.begin(), from.end(), to.begin()) == to.end());
      CHECK(contents(to) == v);
      to = make(zeros);
      CHECK(std::copy_n(policy, from.begin(), n, to.begin()) == to.end());
      CHECK(contents(to) == v);
      to = make(zeros);
      CHECK(std::move(policy, from.begin(), from.end(), to.begin()) == to.end());
      CHECK(contents(to) == v);
      to = make(zeros);
      CHECK(std::swap_ranges(policy, from.begin(), from.end(), to.begin()) == to.end());
      CHECK(contents(to) == v);
      CHECK(contents(from) == zeros);
      auto kept = make(zeros);
      auto const end = std::copy_if(policy, to.begin(), to.end(), kept.begin(), is_even);
      std::vector<int> expected;
      std::copy_if(v.begin(), v.end(), std::back_inserter(expected), is_even);
      CHECK(std::vector<int>(kept.begin(), end) == expected);
    }
  });
}

TEST_CASE("transform of one and of two ranges") {
  on_forward([](auto const& policy, auto make) {
    for (int const n : sizes) {
      auto v = numbers(n);
      auto a = make(v);
      auto b = make(v);
      auto to = make(v);
      CHECK(std::transform(policy, a.begin(), a.end(), to.begin(), [](int i) { return i * 2; }) == to.end());
      for (int& i : v) i *= 2;
      CHECK(contents(to) == v);
      std::transform(policy, a.begin(), a.end(), b.begin(), to.begin(), [](int i, int j) { return i + j + 1; });
      for (int& i : v) i += 1;
      CHECK(contents(to) == v);
    }
  });
}

TEST_CASE("replace, replace_if, replace_copy, replace_copy_if") {
  on_forward([](auto const& policy, auto make) {
    for (int const n : sizes) {
      auto const v = numbers(n, 10);
      auto r = make(v);
      auto to = make(v);
      std::replace_copy(policy, r.begin(), r.end(), to.begin(), 3, -3);
      auto expected = v;
      std::replace(expected.begin(), expected.end(), 3, -3);
      CHECK(contents(to) == expected);
      std::replace(policy, r.begin(), r.end(), 3, -3);
      CHECK(contents(r) == expected);
      std::replace_copy_if(policy, r.begin(), r.end(), to.begin(), is_even, 1);
      std::replace_if(expected.begin(), expected.end(), is_even, 1);
      CHECK(contents(to) == expected);
      std::replace_if(policy, r.begin(), r.end(), is_even, 1);
      CHECK(contents(r) == expected);
    }
  });
}

TEST_CASE("remove, remove_if, remove_copy, remove_copy_if, unique, unique_copy") {
  on_forward([](auto const& policy, auto make) {
    for (int const n : sizes) {
      auto const v = numbers(n, 4);
      std::vector<int> expected;
      auto r = make(v);
      auto to = make(v);
      auto const until = [](auto& range, auto end) { return std::vector<int>(range.begin(), end); };
      std::remove_copy(v.begin(), v.end(), std::back_inserter(expected), 2);
      CHECK(until(to, std::remove_copy(policy, r.begin(), r.end(), to.begin(), 2)) == expected);
      CHECK(until(r, std::remove(policy, r.begin(), r.end(), 2)) == expected);
      expected.clear();
      std::remove_copy_if(v.begin(), v.end(), std::back_inserter(expected), is_even);
      r = make(v);
      CHECK(until(to, std::remove_copy_if(policy, r.begin(), r.end(), to.begin(), is_even)) == expected);
      CHECK(until(r, std::remove_if(policy, r.begin(), r.end(), is_even)) == expected);
      expected.clear();
      std::unique_copy(v.begin(), v.end(), std::back_inserter(expected));
      r = make(v);
      CHECK(until(to, std::unique_copy(policy, r.begin(), r.end(), to.begin())) == expected);
      CHECK(until(r, std::unique(policy, r.begin(), r.end())) == expected);
    }
  });
}

TEST_CASE("reverse, reverse_copy") {
  on_bidirectional([](auto const& policy, auto make) {
    for (int const n : sizes) {
      auto v = numbers(n);
      auto r = make(v);
      auto to = make(v);
      std::reverse(v.begin(), v.end());
      std::reverse_copy(policy, r.begin(), r.end(), to.begin());
      CHECK(contents(to) == v);
      std::reverse(policy, r.begin(), r.end());
      CHECK(contents(r) == v);
    }
  });
}

TEST_CASE("rotate, rotate_copy") {
  on_forward([](auto const& policy, auto make) {
    for (int const n : sizes) {
      auto v = numbers(n);
      auto r = make(v);
      auto to = make(v);
      std::rotate(v.begin(), v.begin() + n / 3, v.end());
      std::rotate_copy(policy, r.begin(), std::next(r.begin(), n / 3), r.end(), to.begin());
      CHECK(contents(to) == v);
      std::rotate(policy, r.begin(), std::next(r.begin(), n / 3), r.end());
      CHECK(contents(r) == v);
    }
  });
}
