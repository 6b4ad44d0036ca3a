// SPDX-License-Identifier: Apache-2.0
// Where the boxes of a drawing lie: in columns from left to right, each box right of all that lead to it. What leads
// back in a loop is marked, and drawn as an arc.
//
// Threads    one.
#pragma once

#include <cstddef>
#include <vector>

namespace ashlar::inline v1::flow {

class layered_layout {
 public:
  struct box {
    long width, height;
    long x = 0, y = 0;  // of its upper left corner
    std::size_t column = 0;
    long right() const noexcept { return x + width; }
    long bottom() const noexcept { return y + height; }
  };
  struct link {
    std::size_t from, to;  // numbers of boxes
    bool leads_back = false;
  };

  /// Between two columns, and between two boxes of one.
  static constexpr long column_gap = 110, row_gap = 34;

  /// Sets the boxes' places, of which none is negative, and which links lead back. O((n + m) log n). Throws
  /// std::bad_alloc.
  layered_layout(std::vector<box> boxes, std::vector<link> links);

  std::vector<box> const& boxes() const noexcept { return boxes_; }
  std::vector<link> const& links() const noexcept { return links_; }
  /// The lowest line of the boxes in these columns.
  long bottom_of(std::size_t first, std::size_t last) const noexcept;

 private:
  void mark_links_back();
  void choose_columns();
  void order_columns();
  void stack(std::vector<std::size_t> const& column) noexcept;
  // Orders a column by the heights of the boxes on the other ends of the links that come from the left, or go to the
  // right.
  void sort(std::vector<std::size_t>& column, bool by_left);
  void place_columns() noexcept;

  std::vector<box> boxes_;
  std::vector<link> links_;
  std::vector<std::vector<std::size_t>> out_, in_;  // the links of each box
  std::vector<std::size_t> sorted_;                 // the boxes, so that links which don't lead back go to later ones
  std::vector<std::vector<std::size_t>> columns_;
};

}  // namespace ashlar::inline v1::flow
