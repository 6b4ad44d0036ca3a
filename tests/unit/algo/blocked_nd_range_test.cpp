// SPDX-License-Identifier: Apache-2.0
#include <tbb/blocked_rangeNd.h>

#include "unit/algo/range_parts.h"

#include <doctest/doctest.h>

#include <type_traits>
#include <vector>

namespace {

template <typename Range>
bool is_dim(Range const& r, unsigned i, int begin, int end, std::size_t grain = 1) {
  return r.dim(i).begin() == begin && r.dim(i).end() == end && r.dim(i).grainsize() == grain;
}

}  // namespace

TEST_CASE("blocked_nd_range: from braced lists, ranges and sizes") {
  tbb::blocked_nd_range<int, 3> const braced({0, 10}, {5, 20, 4}, {-3, 3});
  CHECK(is_dim(braced, 0, 0, 10));
  CHECK(is_dim(braced, 1, 5, 20, 4));
  CHECK(is_dim(braced, 2, -3, 3));
  tbb::blocked_range<int> const a(0, 7, 2);
  tbb::blocked_nd_range<int, 2> const ranges(a, tbb::blocked_range<int>(1, 2));
  CHECK(is_dim(ranges, 0, 0, 7, 2));
  CHECK(is_dim(ranges, 1, 1, 2));
  int const sizes[] = {4, 5, 6, 7};
  tbb::blocked_nd_range<int, 4> const sized(sizes, 3);
  for (unsigned i = 0; i < 4; ++i) CHECK(is_dim(sized, i, 0, sizes[i], 3));
  tbb::blocked_nd_range<int, 4> const braced_sizes({4, 5, 6, 7});
  for (unsigned i = 0; i < 4; ++i) CHECK(is_dim(braced_sizes, i, 0, sizes[i], 1));
  tbb::blocked_nd_range<int, 1> const one({2, 9});
  CHECK(is_dim(one, 0, 2, 9));
  tbb::blocked_nd_range<int, 1> const one_size({9});
  CHECK(is_dim(one_size, 0, 0, 9));
  tbb::blocked_rangeNd<int, 2> const classic({0, 4}, {0, 5});
  CHECK(classic.ndims() == 2);
  CHECK(is_dim(classic, 1, 0, 5));
}

TEST_CASE("blocked_nd_range: types and deduction") {
  using range = tbb::blocked_nd_range<int, 3>;
  static_assert(std::is_same_v<range::value_type, int>);
  static_assert(std::is_same_v<range::dim_range_type, tbb::blocked_range<int>>);
  static_assert(std::is_same_v<range::size_type, std::size_t>);
  static_assert(range::dim_count() == 3 && range::ndims() == 3 && range::is_splittable_in_proportion);
  static_assert(std::is_same_v<range, tbb::blocked_rangeNd<int, 3>>);
  static_assert(!std::is_default_constructible_v<range>);

  tbb::blocked_nd_range braced({0, 10}, {0, 20, 5}, {1, 3});
  static_assert(std::is_same_v<decltype(braced), range>);
  tbb::blocked_range<long> const dim(0, 3);
  tbb::blocked_nd_range ranges(dim, dim);
  static_assert(std::is_same_v<decltype(ranges), tbb::blocked_nd_range<long, 2>>);
  tbb::blocked_nd_range single(dim);
  static_assert(std::is_same_v<decltype(single), tbb::blocked_nd_range<long, 1>>);
  short const sizes[] = {1, 2, 3, 4, 5};
  tbb::blocked_nd_range sized(sizes);
  static_assert(std::is_same_v<decltype(sized), tbb::blocked_nd_range<short, 5>>);
  tbb::blocked_nd_range grained(sizes, 2);
  static_assert(std::is_same_v<decltype(grained), tbb::blocked_nd_range<short, 5>>);
  tbb::blocked_nd_range listed({4, 5, 6}, 2);
  static_assert(std::is_same_v<decltype(listed), range>);
  CHECK(is_dim(listed, 1, 0, 5, 2));
  tbb::blocked_nd_range copy(braced);
  static_assert(std::is_same_v<decltype(copy), range>);
  tbb::blocked_nd_range half(braced, tbb::split());
  static_assert(std::is_same_v<decltype(half), range>);
  tbb::blocked_nd_range part(braced, tbb::proportional_split(1, 2));
  static_assert(std::is_same_v<decltype(part), range>);
  copy = half;
  CHECK(is_dim(copy, 0, 5, 10));
}

TEST_CASE("blocked_nd_range: empty and divisible") {
  using range = tbb::blocked_nd_range<int, 3>;
  CHECK_FALSE(range({0, 1}, {0, 1}, {0, 1}).empty());
  CHECK_FALSE(range({0, 1}, {0, 1}, {0, 1}).is_divisible());
  CHECK(range({0, 0}, {0, 1}, {0, 1}).empty());
  CHECK(range({0, 1}, {0, 1}, {4, 4}).empty());
  CHECK(range({0, 2}, {0, 1}, {0, 1}).is_divisible());
  CHECK(range({0, 1}, {0, 1}, {0, 2}).is_divisible());
  CHECK_FALSE(range({0, 9, 9}, {0, 8, 8}, {0, 7, 7}).is_divisible());
}

TEST_CASE("blocked_nd_range: the dimension with the most grains is split, of equal ones the first") {
  struct {
    std::vector<int> sizes;
    std::vector<std::size_t> grains;
    unsigned split;
  } const cases[] = {{{10, 10, 10, 10}, {1, 1, 1, 1}, 0}, {{9, 10, 10, 9}, {1, 1, 1, 1}, 1},
                     {{9, 9, 9, 10}, {1, 1, 1, 1}, 3},    {{100, 90, 80, 7}, {50, 30, 30, 2}, 3},
                     {{9, 8, 7, 2}, {9, 8, 7, 1}, 3},     {{1, 1, 2, 1}, {1, 1, 1, 1}, 2}};
  for (auto const& c : cases) {
    using dim = tbb::blocked_range<int>;
    tbb::blocked_nd_range<int, 4> left(dim(0, c.sizes[0], c.grains[0]), dim(0, c.sizes[1], c.grains[1]),
                                       dim(0, c.sizes[2], c.grains[2]), dim(0, c.sizes[3], c.grains[3]));
    tbb::blocked_nd_range<int, 4> const right(left, tbb::split());
    for (unsigned i = 0; i < 4; ++i) {
      CAPTURE(i);
      int const size = c.sizes[i];
      CHECK(is_dim(left, i, 0, i == c.split ? size / 2 : size, c.grains[i]));
      CHECK(is_dim(right, i, i == c.split ? size / 2 : 0, size, c.grains[i]));
    }
  }
}

TEST_CASE("blocked_nd_range: split to the end, each cell is in one part and the grains are kept") {
  constexpr int sizes[] = {5, 7, 6, 9};
  constexpr int cells = 5 * 7 * 6 * 9;
  std::vector<std::vector<proportion>> const ways{{{0, 0}}, {{1, 3}, {0, 0}, {5, 2}}};
  for (auto const& way : ways) {
    for (std::size_t grain : {1u, 2u, 6u}) {
      std::vector<int> seen(cells, 0);
      for (auto const& part : split_to_the_end(tbb::blocked_nd_range<int, 4>(sizes, grain), way)) {
        for (unsigned i = 0; i < 4; ++i) REQUIRE(part.dim(i).size() <= grain);
        for (int a = part.dim(0).begin(); a != part.dim(0).end(); ++a) {
          for (int b = part.dim(1).begin(); b != part.dim(1).end(); ++b) {
            for (int c = part.dim(2).begin(); c != part.dim(2).end(); ++c) {
              for (int d = part.dim(3).begin(); d != part.dim(3).end(); ++d) {
                ++seen[static_cast<std::size_t>(((a * 7 + b) * 6 + c) * 9 + d)];
              }
            }
          }
        }
      }
      CHECK(seen == std::vector<int>(cells, 1));
    }
  }
}

TEST_CASE("blocked_nd_range: proportional splits") {
  tbb::blocked_nd_range<unsigned char, 3> left({0, 10}, {0, 255}, {0, 3});
  tbb::blocked_nd_range<unsigned char, 3> const right(left, tbb::proportional_split(4, 1));
  CHECK(left.dim(1).end() == 204);
  CHECK(right.dim(1).begin() == 204);
  CHECK(right.dim(1).end() == 255);
  CHECK(right.dim(0).size() == 10);
  CHECK(right.dim(2).size() == 3);
}
