// SPDX-License-Identifier: Apache-2.0
// The range of loops that count: the index form of parallel_for, and parallel_for_each over random access iterators.
#pragma once

#include <ashlar/base/range_value.h>
#include <ashlar/base/split.h>

#include <cstddef>

namespace ashlar {
inline namespace v1 {
namespace algo {

/// Iteration numbers [begin, end). Divisible down to single iterations.
class iterations {
 public:
  using number = std::size_t;

  iterations(number begin, number end) noexcept : begin_(begin), end_(end) {}
  iterations(iterations& r, tbb::split) noexcept : begin_(r.begin_ + (r.end_ - r.begin_) / 2), end_(r.end_) {
    r.end_ = begin_;
  }
  iterations(iterations& r, tbb::proportional_split& p) noexcept : begin_(r.begin_), end_(r.end_) {
    begin_ = r.end_ = end_ - ashlar::right_share(size(), p);
  }
  iterations(iterations& r, first_piece_split& piece) noexcept
      : begin_(r.begin_ + piece.cut(r.size(), 1)), end_(r.end_) {
    r.end_ = begin_;
  }

  number begin() const noexcept { return begin_; }
  number end() const noexcept { return end_; }
  number size() const noexcept { return end_ - begin_; }
  static constexpr number grainsize() noexcept { return 1; }
  bool empty() const noexcept { return begin_ == end_; }
  bool is_divisible() const noexcept { return end_ - begin_ > 1; }

 private:
  number begin_;
  number end_;
};

}  // namespace algo

template <>
inline constexpr bool splits_first_piece<algo::iterations> = true;

}  // namespace v1
}  // namespace ashlar
