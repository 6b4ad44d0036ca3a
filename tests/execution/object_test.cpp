// SPDX-License-Identifier: Apache-2.0
// Objects that are more than numbers: uninitialised memory, types that can only be moved, exceptions, nesting.
#include "ranges.h"
#include "support/death.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

// Counts the live ones.
struct counted {
  static inline std::atomic<int> alive{0};
  counted() { ++alive; }
  explicit counted(int v) : value(v) { ++alive; }
  counted(counted const& other) : value(other.value) { ++alive; }
  counted(counted&& other) noexcept : value(other.value) { ++alive; }
  counted& operator=(counted const&) = default;
  ~counted() { --alive; }
  int value = 5;
};

constexpr std::size_t many = 20000;
struct memory {
  counted* begin() { return reinterpret_cast<counted*>(bytes.data()); }
  counted* end() { return begin() + many; }
  std::vector<std::aligned_storage_t<sizeof(counted), alignof(counted)>> bytes{many};
};

struct movable {
  explicit movable(int v) : value(std::make_unique<int>(v)) {}
  std::unique_ptr<int> value;
  friend bool operator<(movable const& a, movable const& b) { return *a.value < *b.value; }
};

std::vector<movable> movables(int n) {
  std::vector<movable> v;
  for (int const i : ranges::numbers(n)) v.emplace_back(i);
  return v;
}

}  // namespace

TEST_CASE("uninitialized_… and destroy") {
  auto const& par = std::execution::par;
  memory m;
  std::vector<counted> source(many, counted(7));
  int const before = counted::alive;
  auto const check_and_end = [&](int value) {
    CHECK(counted::alive == before + static_cast<int>(many));
    CHECK(std::all_of(m.begin(), m.end(), [&](counted const& c) { return c.value == value; }));
    std::destroy(par, m.begin(), m.end());
    CHECK(counted::alive == before);
  };
  std::uninitialized_default_construct(par, m.begin(), m.end());
  check_and_end(5);
  std::uninitialized_default_construct_n(par, m.begin(), many);
  check_and_end(5);
  std::uninitialized_value_construct(par, m.begin(), m.end());
  check_and_end(5);
  std::uninitialized_value_construct_n(par, m.begin(), many);
  check_and_end(5);
  std::uninitialized_fill(par, m.begin(), m.end(), counted(6));
  CHECK(counted::alive == before + static_cast<int>(many));
  std::destroy_n(par, m.begin(), many);
  CHECK(counted::alive == before);
  std::uninitialized_copy(par, source.begin(), source.end(), m.begin());
  check_and_end(7);
  std::uninitialized_copy_n(par, source.begin(), many, m.begin());
  check_and_end(7);
  std::uninitialized_move(par, source.begin(), source.end(), m.begin());
  check_and_end(7);
  std::uninitialized_move_n(par, source.begin(), many, m.begin());
  check_and_end(7);
  std::uninitialized_fill_n(par, m.begin(), many, counted(8));
  check_and_end(8);
}

TEST_CASE("types that can only be moved") {
  auto v = movables(20000);
  std::sort(std::execution::par, v.begin(), v.end());
  CHECK(std::is_sorted(std::execution::par, v.begin(), v.end()));
  v = movables(20000);
  std::stable_sort(std::execution::par, v.begin(), v.end());
  CHECK(std::is_sorted(v.begin(), v.end()));
  std::reverse(std::execution::par, v.begin(), v.end());
  CHECK(std::is_sorted(v.rbegin(), v.rend()));
  auto const odd = [](movable const& m) { return *m.value % 2 == 1; };
  auto const odds = std::count_if(std::execution::par, v.begin(), v.end(), odd);
  CHECK(std::partition(std::execution::par, v.begin(), v.end(), odd) - v.begin() == odds);
  v.erase(std::remove_if(std::execution::par, v.begin(), v.end(), odd), v.end());
  CHECK(std::none_of(v.begin(), v.end(), odd));
  std::vector<movable> to = movables(static_cast<int>(v.size()));
  std::move(std::execution::par, v.begin(), v.end(), to.begin());
  CHECK(std::none_of(to.begin(), to.end(), odd));
  CHECK(std::all_of(v.begin(), v.end(), [](movable const& m) { return m.value == nullptr; }));
}

TEST_CASE("strings are sorted and merged") {
  std::vector<std::string> v;
  for (int const i : ranges::numbers(20000)) v.push_back("a rather long string with the number " + std::to_string(i));
  auto expected = v;
  std::sort(expected.begin(), expected.end());
  std::sort(std::execution::par, v.begin(), v.end());
  CHECK(v == expected);
}

TEST_CASE("a parallel algorithm inside of another") {
  std::vector<std::vector<int>> rows(50, ranges::numbers(3000));
  std::for_each(std::execution::par, rows.begin(), rows.end(),
                [](std::vector<int>& row) { std::sort(std::execution::par, row.begin(), row.end()); });
  auto expected = ranges::numbers(3000);
  std::sort(expected.begin(), expected.end());
  CHECK(std::all_of(rows.begin(), rows.end(), [&](std::vector<int> const& row) { return row == expected; }));
}

TEST_CASE("an exception that leaves an element's function ends the program") {
  CHECK(test::run_in_child([] {
          std::vector<int> v(10000, 1);
          std::for_each(std::execution::par, v.begin(), v.end(), [](int i) {
            if (i == 1) throw std::runtime_error("not here");
          });
        }).by_signal(SIGABRT));
  CHECK(test::run_in_child([] {
          auto v = ranges::numbers(10000);
          std::sort(std::execution::par, v.begin(), v.end(),
                    [](int, int) -> bool { throw std::runtime_error("nor here"); });
        }).by_signal(SIGABRT));
}
