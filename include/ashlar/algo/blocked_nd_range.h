// SPDX-License-Identifier: Apache-2.0
// tbb::blocked_nd_range and its classic name blocked_rangeNd; <tbb/blocked_nd_range.h> documents them.
#pragma once

#include <ashlar/algo/fewer_grains.h>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace algo {

/// An index list turns into as many constructor parameters, so that braced lists can stand for the dimensions.
template <typename T, std::size_t>
using repeated = T;

template <typename Value, typename Indices>
class nd_range;

template <typename Value, std::size_t... At>
class nd_range<Value, std::index_sequence<At...>> {
  static constexpr unsigned dimensions = sizeof...(At);
  static_assert(dimensions > 0, "a range needs a dimension");

 public:
  using value_type = Value;
  using dim_range_type = ::tbb::blocked_range<Value>;
  using size_type = typename dim_range_type::size_type;

  static constexpr bool is_splittable_in_proportion = true;

  nd_range() = delete;
  nd_range(repeated<dim_range_type, At> const&... dims) : dims_{dims...} {}  // NOLINT: implicit, as in TBB
  nd_range(Value const (&sizes)[dimensions], size_type grainsize = 1)        // NOLINT: implicit, as in TBB
      : dims_{dim_range_type(static_cast<Value>(0), sizes[At], grainsize)...} {}
  nd_range(nd_range& r, ::tbb::split s) : dims_{r.dims_[At]...} { take_part(r, s); }
  nd_range(nd_range& r, ::tbb::proportional_split p) : dims_{r.dims_[At]...} { take_part(r, p); }
  nd_range(nd_range& r, first_piece_split& p) : dims_{r.dims_[At]...} { take_part(r, p); }

  static constexpr unsigned dim_count() noexcept { return dimensions; }
  static constexpr unsigned ndims() noexcept { return dimensions; }

  dim_range_type const& dim(unsigned dimension) const {
    ASHLAR_ASSERT(dimension < dimensions, "no such dimension");
    return dims_[dimension];
  }
  bool empty() const { return (dims_[At].empty() || ...); }
  bool is_divisible() const { return (dims_[At].is_divisible() || ...); }

 private:
  template <typename Split>
  void take_part(nd_range& r, Split& how) {
    unsigned largest = 0;
    for (unsigned i = 1; i < dimensions; ++i) {
      if (algo::has_fewer_grains(dims_[largest], dims_[i])) largest = i;
    }
    dims_[largest] = dim_range_type(r.dims_[largest], how);
  }

  dim_range_type dims_[dimensions];
};

}  // namespace algo
}  // namespace v1
}  // namespace ashlar

namespace tbb {

template <typename Value, unsigned N>
ASHLAR_REQUIRES(ashlar::is_range_value<Value>)
class blocked_nd_range : public ashlar::algo::nd_range<Value, std::make_index_sequence<N>> {
  using base = ashlar::algo::nd_range<Value, std::make_index_sequence<N>>;

 public:
  using base::base;
};

/// The dimension follows from the arguments: from two or more braced lists {begin, end} or {begin, end, grainsize},
/// from ranges, or from an array of sizes. One braced list alone is an array of sizes.
template <typename Value, unsigned... Lengths,
          typename = std::enable_if_t<(sizeof...(Lengths) >= 2) && ((Lengths == 2 || Lengths == 3) && ...)>>
blocked_nd_range(Value const (&... dims)[Lengths]) -> blocked_nd_range<Value, sizeof...(Lengths)>;

template <typename Value, typename... Values, typename = std::enable_if_t<(std::is_same_v<Value, Values> && ...)>>
blocked_nd_range(blocked_range<Value>, blocked_range<Values>...) -> blocked_nd_range<Value, 1 + sizeof...(Values)>;

template <typename Value, unsigned N>
blocked_nd_range(Value const (&)[N], std::size_t = 1) -> blocked_nd_range<Value, N>;

template <typename Value, unsigned N>
blocked_nd_range(blocked_nd_range<Value, N>, split) -> blocked_nd_range<Value, N>;

template <typename Value, unsigned N>
blocked_nd_range(blocked_nd_range<Value, N>, proportional_split) -> blocked_nd_range<Value, N>;

/// The name in classic TBB.
template <typename Value, unsigned N>
using blocked_rangeNd = blocked_nd_range<Value, N>;

}  // namespace tbb

template <typename Value, unsigned N>
inline constexpr bool ashlar::splits_first_piece<tbb::blocked_nd_range<Value, N>> = true;
