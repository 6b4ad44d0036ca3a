// SPDX-License-Identifier: Apache-2.0
// The first piece that a thread cuts off its range, to time the body by it.
#include <tbb/blocked_range2d.h>
#include <tbb/blocked_range3d.h>
#include <tbb/blocked_rangeNd.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <limits>

using ashlar::first_piece_split;

namespace {

// Halves a copy, to see which axis a split divides.
template <typename Range, typename Axis>
bool divides(Range whole, Axis const& axis) {
  std::size_t const before = axis(whole).size();
  Range const right(whole, tbb::split());
  return axis(whole).size() != before;
}

template <typename Range, typename Axis>
void check_axis(Range const& whole, Axis const& axis) {
  Range first(whole);
  first_piece_split how{3};
  Range const rest(first, how);
  bool const divided = divides(whole, axis);
  CHECK((axis(first).size() != axis(whole).size()) == divided);
  CHECK(axis(first).begin() == axis(whole).begin());
  CHECK(axis(rest).end() == axis(whole).end());
  if (divided) CHECK(axis(first).end() == axis(rest).begin());
}

}  // namespace

TEST_CASE("a first piece is a small share, and no smaller than what a split makes") {
  for (unsigned deeper : {1U, 3U, 7U, 27U}) {
    for (std::size_t grain = 1; grain <= 5; ++grain) {
      for (std::size_t size = grain + 1; size <= 300; ++size) {
        tbb::blocked_range<std::size_t> first(7, 7 + size, grain);
        first_piece_split how{deeper};
        tbb::blocked_range<std::size_t> const rest(first, how);
        REQUIRE(first.begin() == 7);
        REQUIRE(first.end() == rest.begin());
        REQUIRE(rest.end() == 7 + size);
        REQUIRE(rest.grainsize() == grain);
        REQUIRE(first.size() >= std::min(grain, size / 2));
        REQUIRE(rest.size() >= std::min(grain, size / 2));
        REQUIRE(first.size() <= std::max(size >> deeper, grain));
        // So many pieces are not more than the range, and one more would be.
        REQUIRE(how.pieces >= 2);
        REQUIRE(how.pieces * first.size() <= size);
        if (first.size() > grain) REQUIRE(how.pieces == std::size_t{1} << deeper);
        if (first.size() <= grain) REQUIRE((how.pieces + 1) * first.size() > size);
      }
    }
  }
}

TEST_CASE("a first piece of a range of any length") {
  tbb::blocked_range<long> first(std::numeric_limits<long>::min(), std::numeric_limits<long>::max());
  first_piece_split how{7};
  tbb::blocked_range<long> const rest(first, how);
  CHECK(first.size() == std::numeric_limits<std::size_t>::max() >> 7);
  CHECK(first.end() == rest.begin());
  CHECK(how.pieces == 128);
}

TEST_CASE("a first piece divides the axis that a split divides") {
  auto const rows = [](auto const& r) -> auto const& { return r.rows(); };
  auto const cols = [](auto const& r) -> auto const& { return r.cols(); };
  auto const pages = [](auto const& r) -> auto const& { return r.pages(); };
  for (int n : {1, 2, 3, 40}) {
    for (int m : {2, 3, 41}) {
      tbb::blocked_range2d<int> const flat(0, n, 2, 5, 5 + m, 1);
      check_axis(flat, rows);
      check_axis(flat, cols);
      tbb::blocked_range3d<int> const deep(0, m, 3, 0, n, 1, -1, m, 2);
      check_axis(deep, pages);
      check_axis(deep, rows);
      check_axis(deep, cols);
      tbb::blocked_rangeNd<int, 2> const grid({0, n, 2}, {5, 5 + m, 1});
      check_axis(grid, [](auto const& r) -> auto const& { return r.dim(0); });
      check_axis(grid, [](auto const& r) -> auto const& { return r.dim(1); });
    }
  }
}
