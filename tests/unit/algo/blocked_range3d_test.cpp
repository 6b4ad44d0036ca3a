// SPDX-License-Identifier: Apache-2.0
#include <tbb/blocked_range3d.h>

#include "unit/algo/range_parts.h"

#include <doctest/doctest.h>

#include <type_traits>
#include <vector>

namespace {

using range = tbb::blocked_range3d<int>;

// Which dimension the split of a range of these sizes and grains cuts: 'p', 'r' or 'c'; '?' if not exactly one.
char dimension_of_split(std::vector<int> const& sizes, std::vector<std::size_t> const& grains) {
  range left(0, sizes[0], grains[0], 0, sizes[1], grains[1], 0, sizes[2], grains[2]);
  range const right(left, tbb::split());
  auto const cut = [](tbb::blocked_range<int> const& a, tbb::blocked_range<int> const& b, int size) {
    return a.begin() == 0 && a.end() == size / 2 && b.begin() == size / 2 && b.end() == size;
  };
  auto const whole = [](tbb::blocked_range<int> const& a, tbb::blocked_range<int> const& b, int size) {
    return a.begin() == 0 && a.end() == size && b.begin() == 0 && b.end() == size;
  };
  bool const p = whole(left.pages(), right.pages(), sizes[0]);
  bool const r = whole(left.rows(), right.rows(), sizes[1]);
  bool const c = whole(left.cols(), right.cols(), sizes[2]);
  if (cut(left.pages(), right.pages(), sizes[0]) && r && c) return 'p';
  if (cut(left.rows(), right.rows(), sizes[1]) && p && c) return 'r';
  if (cut(left.cols(), right.cols(), sizes[2]) && p && r) return 'c';
  return '?';
}

}  // namespace

TEST_CASE("blocked_range3d: what it is made of") {
  tbb::blocked_range3d<int, long, short> const r(1, 10, 2, 20, 50, 3, 5, 6, 7);
  CHECK(r.pages().begin() == 1);
  CHECK(r.pages().grainsize() == 2);
  CHECK(r.rows().end() == 50);
  CHECK(r.rows().grainsize() == 3);
  CHECK(r.cols().begin() == 5);
  CHECK(r.cols().grainsize() == 7);
  range const plain(0, 1, 0, 1, 0, 1);
  CHECK(plain.pages().grainsize() * plain.rows().grainsize() * plain.cols().grainsize() == 1);
  CHECK_FALSE(plain.empty());
  CHECK_FALSE(plain.is_divisible());
  CHECK(range(0, 0, 0, 1, 0, 1).empty());
  CHECK(range(0, 1, 0, 0, 0, 1).empty());
  CHECK(range(0, 1, 0, 1, 0, 0).empty());
  CHECK(range(0, 2, 0, 1, 0, 1).is_divisible());
  CHECK(range(0, 1, 0, 2, 0, 1).is_divisible());
  CHECK(range(0, 1, 0, 1, 0, 2).is_divisible());
  static_assert(std::is_same_v<decltype(r)::page_range_type, tbb::blocked_range<int>>);
  static_assert(std::is_same_v<decltype(r)::row_range_type, tbb::blocked_range<long>>);
  static_assert(std::is_same_v<decltype(r)::col_range_type, tbb::blocked_range<short>>);
  static_assert(std::is_same_v<tbb::blocked_range3d<char>::col_range_type, tbb::blocked_range<char>>);
  static_assert(range::is_splittable_in_proportion);
}

TEST_CASE("blocked_range3d: the dimension with the most grains is split, of equal ones the first") {
  CHECK(dimension_of_split({10, 9, 8}, {1, 1, 1}) == 'p');
  CHECK(dimension_of_split({9, 10, 8}, {1, 1, 1}) == 'r');
  CHECK(dimension_of_split({8, 9, 10}, {1, 1, 1}) == 'c');
  CHECK(dimension_of_split({10, 8, 9}, {1, 1, 1}) == 'p');
  CHECK(dimension_of_split({9, 8, 10}, {1, 1, 1}) == 'c');
  CHECK(dimension_of_split({8, 10, 9}, {1, 1, 1}) == 'r');
  CHECK(dimension_of_split({10, 10, 10}, {1, 1, 1}) == 'p');
  CHECK(dimension_of_split({9, 10, 10}, {1, 1, 1}) == 'r');
  CHECK(dimension_of_split({10, 9, 10}, {1, 1, 1}) == 'p');
  CHECK(dimension_of_split({1000, 100, 30}, {100, 10, 2}) == 'c');
  CHECK(dimension_of_split({1000, 110, 20}, {100, 10, 2}) == 'r');
  CHECK(dimension_of_split({10, 10, 2}, {10, 10, 1}) == 'c');
  CHECK(dimension_of_split({10, 11, 1}, {10, 10, 1}) == 'r');
}

TEST_CASE("blocked_range3d: split to the end, each cell is in one part and the grains are kept") {
  constexpr int pages = 9;
  constexpr int rows = 14;
  constexpr int cols = 11;
  std::vector<std::vector<proportion>> const ways{{{0, 0}}, {{1, 3}, {0, 0}, {5, 2}}};
  for (auto const& way : ways) {
    for (std::size_t grain : {1u, 4u, 12u}) {
      std::vector<int> seen(pages * rows * cols, 0);
      range const whole(0, pages, grain, 0, rows, grain + 1, 0, cols, grain + 2);
      for (auto const& part : split_to_the_end(whole, way)) {
        REQUIRE(part.pages().size() <= grain);
        REQUIRE(part.rows().size() <= grain + 1);
        REQUIRE(part.cols().size() <= grain + 2);
        for (int p = part.pages().begin(); p != part.pages().end(); ++p) {
          for (int r = part.rows().begin(); r != part.rows().end(); ++r) {
            for (int c = part.cols().begin(); c != part.cols().end(); ++c) {
              ++seen[static_cast<std::size_t>((p * rows + r) * cols + c)];
            }
          }
        }
      }
      CHECK(seen == std::vector<int>(pages * rows * cols, 1));
    }
  }
}

TEST_CASE("blocked_range3d: proportional splits") {
  range left(0, 4, 0, 4, 0, 40);
  tbb::proportional_split how(1, 3);
  range const right(left, how);
  CHECK(left.cols().end() == 10);
  CHECK(right.cols().begin() == 10);
  CHECK(right.cols().end() == 40);
  CHECK(right.pages().size() == 4);
  CHECK(right.rows().size() == 4);
}
