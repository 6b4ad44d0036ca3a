// SPDX-License-Identifier: Apache-2.0
// tbb::blocked_range2d; <tbb/blocked_range2d.h> documents it.
#pragma once

#include <ashlar/algo/fewer_grains.h>
#include <ashlar/algo/range_traits.h>

namespace tbb {

template <typename RowValue, typename ColValue = RowValue>
ASHLAR_REQUIRES(ashlar::is_range_value<RowValue>&& ashlar::is_range_value<ColValue>)
class blocked_range2d {
 public:
  using row_range_type = blocked_range<RowValue>;
  using col_range_type = blocked_range<ColValue>;

  static constexpr bool is_splittable_in_proportion = true;

  blocked_range2d(RowValue row_begin, RowValue row_end, typename row_range_type::size_type row_grainsize,
                  ColValue col_begin, ColValue col_end, typename col_range_type::size_type col_grainsize)
      : rows_(row_begin, row_end, row_grainsize), cols_(col_begin, col_end, col_grainsize) {}
  blocked_range2d(RowValue row_begin, RowValue row_end, ColValue col_begin, ColValue col_end)
      : rows_(row_begin, row_end), cols_(col_begin, col_end) {}
  blocked_range2d(blocked_range2d& r, split s) : rows_(r.rows_), cols_(r.cols_) { take_part(r, s); }
  blocked_range2d(blocked_range2d& r, proportional_split& p) : rows_(r.rows_), cols_(r.cols_) { take_part(r, p); }
  blocked_range2d(blocked_range2d& r, ashlar::first_piece_split& p) : rows_(r.rows_), cols_(r.cols_) {
    take_part(r, p);
  }

  row_range_type const& rows() const noexcept { return rows_; }
  col_range_type const& cols() const noexcept { return cols_; }
  bool empty() const { return rows_.empty() || cols_.empty(); }
  bool is_divisible() const { return rows_.is_divisible() || cols_.is_divisible(); }

 private:
  template <typename Split>
  void take_part(blocked_range2d& r, Split& how) {
    if (ashlar::algo::has_fewer_grains(rows_, cols_)) {
      cols_ = col_range_type(r.cols_, how);
    } else {
      rows_ = row_range_type(r.rows_, how);
    }
  }

  row_range_type rows_;
  col_range_type cols_;
};

}  // namespace tbb

template <typename RowValue, typename ColValue>
inline constexpr bool ashlar::splits_first_piece<tbb::blocked_range2d<RowValue, ColValue>> = true;
