// SPDX-License-Identifier: Apache-2.0
#include <tbb/blocked_range2d.h>

#include "unit/algo/range_parts.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace {

using range = tbb::blocked_range2d<int>;

bool same(tbb::blocked_range<int> const& a, int begin, int end) { return a.begin() == begin && a.end() == end; }

}  // namespace

TEST_CASE("blocked_range2d: what it is made of") {
  tbb::blocked_range2d<int, long> const r(1, 10, 2, 20, 50, 3);
  CHECK(r.rows().begin() == 1);
  CHECK(r.rows().end() == 10);
  CHECK(r.rows().grainsize() == 2);
  CHECK(r.cols().begin() == 20);
  CHECK(r.cols().end() == 50);
  CHECK(r.cols().grainsize() == 3);
  CHECK(range(0, 5, 0, 6).rows().grainsize() == 1);
  CHECK(range(0, 5, 0, 6).cols().grainsize() == 1);
  CHECK_FALSE(range(0, 1, 0, 1).empty());
  CHECK(range(0, 0, 0, 1).empty());
  CHECK(range(0, 1, 3, 3).empty());
  CHECK_FALSE(range(0, 1, 0, 1).is_divisible());
  CHECK(range(0, 2, 0, 1).is_divisible());
  CHECK(range(0, 1, 0, 2).is_divisible());
  CHECK_FALSE(range(0, 8, 8, 0, 9, 9).is_divisible());
  static_assert(std::is_same_v<decltype(r)::row_range_type, tbb::blocked_range<int>>);
  static_assert(std::is_same_v<decltype(r)::col_range_type, tbb::blocked_range<long>>);
  static_assert(range::is_splittable_in_proportion);
  static_assert(std::is_same_v<decltype(tbb::blocked_range2d(0, 1, 0L, 1L)), tbb::blocked_range2d<int, long>>);
}

TEST_CASE("blocked_range2d: the dimension with more grains is split") {
  struct {
    int rows, row_grain, cols, col_grain;
    bool rows_split;
  } const cases[] = {{10, 1, 9, 1, true},     {9, 1, 10, 1, false},   {10, 1, 10, 1, true},   {100, 50, 10, 2, false},
                     {100, 10, 10, 2, true},  {1, 1, 2, 1, false},    {2, 1, 1, 1, true},     {7, 7, 2, 1, false},
                     {1000, 999, 8, 8, true}, {30, 3, 100, 10, true}, {29, 3, 100, 10, false}};
  for (auto const& c : cases) {
    CAPTURE(c.rows);
    CAPTURE(c.cols);
    range left(0, c.rows, static_cast<std::size_t>(c.row_grain), 0, c.cols, static_cast<std::size_t>(c.col_grain));
    range const right(left, tbb::split());
    if (c.rows_split) {
      CHECK(same(left.rows(), 0, c.rows / 2));
      CHECK(same(right.rows(), c.rows / 2, c.rows));
      CHECK(same(left.cols(), 0, c.cols));
      CHECK(same(right.cols(), 0, c.cols));
    } else {
      CHECK(same(left.cols(), 0, c.cols / 2));
      CHECK(same(right.cols(), c.cols / 2, c.cols));
      CHECK(same(left.rows(), 0, c.rows));
      CHECK(same(right.rows(), 0, c.rows));
    }
  }
}

TEST_CASE("blocked_range2d: a divisible dimension is preferred where the numbers of grains differ by less than a bit") {
  constexpr std::uint64_t huge = std::uint64_t{1} << 60;
  using wide = tbb::blocked_range2d<std::uint64_t>;
  for (bool rows_divisible : {false, true}) {
    wide left(0, huge + (rows_divisible ? 1 : 0), huge, 0, huge + (rows_divisible ? 0 : 1), huge);
    REQUIRE(left.is_divisible());
    wide const right(left, tbb::split());
    CHECK((right.rows().begin() != 0) == rows_divisible);
    CHECK((right.cols().begin() != 0) == !rows_divisible);
  }
}

TEST_CASE("blocked_range2d: proportional splits") {
  range left(0, 100, 0, 10);
  tbb::proportional_split how(3, 1);
  range const right(left, how);
  CHECK(same(left.rows(), 0, 75));
  CHECK(same(right.rows(), 75, 100));
  CHECK(same(right.cols(), 0, 10));
  range wide(0, 10, 0, 100);
  range const rest(wide, how);
  CHECK(same(wide.cols(), 0, 75));
  CHECK(same(rest.cols(), 75, 100));
}

TEST_CASE("blocked_range2d: split to the end, each cell is in one part and the grains are kept") {
  std::vector<std::vector<proportion>> const ways{{{0, 0}}, {{1, 3}, {0, 0}, {5, 2}}};
  for (auto const& way : ways) {
    for (std::size_t row_grain : {1u, 3u, 40u}) {
      for (std::size_t col_grain : {1u, 8u}) {
        constexpr int rows = 37;
        constexpr int cols = 53;
        std::vector<int> seen(rows * cols, 0);
        for (auto const& p : split_to_the_end(range(-5, rows - 5, row_grain, 10, cols + 10, col_grain), way)) {
          REQUIRE(p.rows().size() <= row_grain);
          REQUIRE(p.cols().size() <= col_grain);
          REQUIRE_FALSE(p.empty());
          for (int r = p.rows().begin(); r != p.rows().end(); ++r) {
            for (int c = p.cols().begin(); c != p.cols().end(); ++c) {
              ++seen[static_cast<std::size_t>((r + 5) * cols + c - 10)];
            }
          }
        }
        CHECK(seen == std::vector<int>(rows * cols, 1));
      }
    }
  }
}

TEST_CASE("blocked_range2d: whole types as bounds, rows of another type than columns") {
  using limits = std::numeric_limits<std::int64_t>;
  std::vector<char> v(10);
  tbb::blocked_range2d<std::int64_t, std::vector<char>::iterator> left(limits::min(), limits::max(), v.begin(),
                                                                       v.end());
  tbb::blocked_range2d<std::int64_t, std::vector<char>::iterator> const right(left, tbb::split());
  CHECK(left.rows().begin() == limits::min());
  CHECK(left.rows().end() == -1);
  CHECK(right.rows().begin() == -1);
  CHECK(right.rows().end() == limits::max());
  CHECK(left.rows().size() + right.rows().size() == std::numeric_limits<std::uint64_t>::max());
  CHECK(right.cols().size() == 10);
}
