// SPDX-License-Identifier: Apache-2.0
// tbb::blocked_range; <tbb/blocked_range.h> documents it.
#pragma once

#include <ashlar/base/assert.h>
#include <ashlar/base/config.h>
#include <ashlar/base/range_value.h>
#include <ashlar/base/split.h>

#include <cstddef>

namespace tbb {

template <typename Value>
ASHLAR_REQUIRES(ashlar::is_range_value<Value>)
class blocked_range {
 public:
  using const_iterator = Value;
  using size_type = std::size_t;

  static constexpr bool is_splittable_in_proportion = true;

  blocked_range() : begin_(), end_(), grainsize_() {}
  blocked_range(Value begin, Value end, size_type grainsize = 1) : begin_(begin), end_(end), grainsize_(grainsize) {
    ASHLAR_ASSERT(grainsize > 0, "the grain size of a blocked_range must be positive");
  }
  blocked_range(blocked_range& r, split) : blocked_range(r, ashlar::value_middle(r.begin_, r.end_), cut()) {}
  blocked_range(blocked_range& r, proportional_split& proportion)
      : blocked_range(r, ashlar::value_after(r.begin_, left_share(r, proportion)), cut()) {}
  blocked_range(blocked_range& r, ashlar::first_piece_split& piece)
      : blocked_range(r, ashlar::value_after(r.begin_, piece.cut(r.size(), r.grainsize_)), cut()) {}

  const_iterator begin() const { return begin_; }
  const_iterator end() const { return end_; }
  size_type size() const {
    ASHLAR_ASSERT(!(end_ < begin_), "a blocked_range that ends before it begins has no size");
    return ashlar::value_distance(begin_, end_);
  }
  size_type grainsize() const noexcept { return grainsize_; }
  bool empty() const { return !static_cast<bool>(begin_ < end_); }
  bool is_divisible() const { return grainsize_ < size(); }

 private:
  struct cut {};

  // Takes what lies behind `middle`. r is touched last, so it is whole if a copy throws before.
  blocked_range(blocked_range& r, Value const& middle, cut) : begin_(middle), end_(r.end_), grainsize_(r.grainsize_) {
    ASHLAR_ASSERT(r.is_divisible(), "only a divisible blocked_range may be split");
    r.end_ = begin_;
  }

  static size_type left_share(blocked_range const& r, proportional_split const& proportion) {
    size_type const all = r.size();
    return all - ashlar::right_share(all, proportion);
  }

  Value begin_;
  Value end_;
  size_type grainsize_;
};

}  // namespace tbb

template <typename Value>
inline constexpr bool ashlar::splits_first_piece<tbb::blocked_range<Value>> = true;
