// SPDX-License-Identifier: Apache-2.0
// The tags that ask a range or a body to split itself.
#pragma once

#include <ashlar/base/config.h>

#include <cstddef>
#include <type_traits>

namespace tbb {

// Passed as the second argument of a splitting constructor: R(R& r, split) takes about half of r.
class split {};

// Passed as the second argument of a proportional splitting constructor: the new object takes the share
// right() : left() + right() of the old one, which keeps the rest.
class proportional_split {
 public:
  proportional_split(std::size_t left = 1, std::size_t right = 1) : left_(left), right_(right) {}  // NOLINT: implicit
  proportional_split(proportional_split const&) = default;
  void operator=(proportional_split const&) = delete;

  std::size_t left() const { return left_; }
  std::size_t right() const { return right_; }
  void set_proportion(std::size_t left, std::size_t right) {
    left_ = left;
    right_ = right;
  }

  // For ranges without proportional splitting. oneTBB asks for the conversion by name, classic TBB does not.
#if ASHLAR_CLASSIC_DIALECT
  operator split() const { return split(); }
#else
  explicit operator split() const { return split(); }
#endif

 private:
  std::size_t left_;
  std::size_t right_;
};

}  // namespace tbb

namespace ashlar {
inline namespace v1 {

// The library's own ranges can cut off a first piece, which they keep: a 2^-deeper of themselves or a grain, whichever
// is more, or the half that a split would leave.
struct first_piece_split {
  // For a divisible range: the steps of the piece.
  std::size_t cut(std::size_t size, std::size_t grain) noexcept {
    std::size_t const part = size >> deeper, most = size / 2;
    pieces = std::size_t{1} << deeper;
    if (part > grain) return part;
    std::size_t steps = grain < most ? grain : most;
    steps |= steps == 0;
    pieces = size / steps;
    return steps;
  }

  unsigned deeper;
  std::size_t pieces = 0;  // so many of the piece's size make up the range; set by the split
};
template <typename Range>
inline constexpr bool splits_first_piece = false;

// True when Range has a constructor from (Range&, proportional_split). The probe's conversion uses up the one
// user-defined conversion of the call, so a constructor from (Range&, split) does not count in either dialect.
struct proportional_split_probe {
  operator ::tbb::proportional_split&() const;
};
template <typename Range>
inline constexpr bool is_proportionally_splittable =
    std::is_constructible<Range, Range&, proportional_split_probe const&>::value;

}  // namespace v1
}  // namespace ashlar
