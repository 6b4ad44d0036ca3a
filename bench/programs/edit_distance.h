// SPDX-License-Identifier: Apache-2.0
// The edit distance of two strings (Wagner and Fischer 1974) by tiles, apart from how it is parallelised: the tiles of
// a diagonal need only those of the diagonals before. Only the rims of the tiles are kept: a row for each column of
// tiles and a column for each row.
#pragma once

#include "common/random.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace programs {

class edit_distance_data {
 public:
  static constexpr std::size_t edge = 256;

  explicit edit_distance_data(double scale)
      : tiles_(scaled(scale < 1 ? scale * 4 : scale, 56, 4)),
        row_(tiles_ * edge + 1),
        column_(tiles_ * edge + 1),
        corners_((tiles_ + 1) * (tiles_ + 1)) {
    random_stream random(61);
    while (b_.size() < tiles_ * edge || a_.size() < tiles_ * edge) {
      char const c = static_cast<char>('a' + random.below(4));
      std::uint64_t const change = random.below(12);
      if (change != 0) a_ += c;
      if (change != 1) b_ += change == 2 ? 'z' : c;
    }
    a_.resize(tiles_ * edge);
    b_.resize(tiles_ * edge);
    for (std::size_t i = 0; i < row_.size(); ++i) row_[i] = column_[i] = static_cast<std::int32_t>(i);
    for (std::size_t k = 0; k <= tiles_; ++k) corner(k, 0) = corner(0, k) = static_cast<std::int32_t>(k * edge);
  }

  std::size_t diagonals() const { return 2 * tiles_ - 1; }
  // The first and last row of tiles on the diagonal, the latter excluded.
  std::size_t first_of(std::size_t diagonal) const { return diagonal < tiles_ ? 0 : diagonal - tiles_ + 1; }
  std::size_t end_of(std::size_t diagonal) const { return std::min(diagonal + 1, tiles_); }

  // Tile in row ty on the diagonal.
  __attribute__((noinline)) void solve(std::size_t diagonal, std::size_t ty) {
    std::size_t const tx = diagonal - ty;
    std::int32_t* const row = &row_[tx * edge + 1];        // above the tile, then its last row
    std::int32_t* const column = &column_[ty * edge + 1];  // left of it, then its last column
    std::int32_t before = corner(ty, tx);                  // the value above and left of the current one
    for (std::size_t y = 0; y < edge; ++y) {
      std::int32_t left = column[y], slant = before;
      before = left;
      char const c = a_[ty * edge + y];
      for (std::size_t x = 0; x < edge; ++x) {
        std::int32_t const value = std::min(slant + (c != b_[tx * edge + x]), std::min(left, row[x]) + 1);
        slant = row[x];
        row[x] = left = value;
      }
      column[y] = left;
    }
    corner(ty + 1, tx + 1) = column[edge - 1];
  }

  char const* wrong() const {
    // The serial distance over the whole of a smaller problem; of a large one over a band, which bounds it from above
    // and is exact if the distance is smaller than the band is wide.
    std::int32_t const found = corners_.back();
    std::size_t const n = a_.size(), wide = std::min<std::size_t>(n, static_cast<std::size_t>(found) / 2 + 64);
    std::vector<std::int32_t> old(n + 1, far), fresh(n + 1, far);
    for (std::size_t x = 0; x <= wide; ++x) old[x] = static_cast<std::int32_t>(x);
    for (std::size_t y = 1; y <= n; ++y) {
      std::size_t const first = y > wide ? y - wide : 0, last = std::min(n, y + wide);
      if (first == 0) fresh[0] = static_cast<std::int32_t>(y);
      if (first > 0) fresh[first - 1] = far;
      for (std::size_t x = std::max<std::size_t>(first, 1); x <= last; ++x) {
        std::int32_t const above = x == y + wide ? far : old[x];
        fresh[x] = std::min({old[x - 1] + (a_[y - 1] != b_[x - 1]), above + 1, fresh[x - 1] + 1});
      }
      old.swap(fresh);
    }
    return old[n] == found ? nullptr : "distance";
  }

 private:
  static constexpr std::int32_t far = 1 << 29;

  std::int32_t& corner(std::size_t y, std::size_t x) { return corners_[y * (tiles_ + 1) + x]; }

  std::size_t const tiles_;
  std::string a_, b_;
  std::vector<std::int32_t> row_, column_, corners_;
};

}  // namespace programs
