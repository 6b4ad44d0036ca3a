// SPDX-License-Identifier: Apache-2.0
// The order by which ranges of several dimensions choose the dimension to split.
#pragma once

#include <ashlar/base/blocked_range.h>

namespace ashlar {
inline namespace v1 {
namespace algo {

/// a has fewer grains than b. Of two that are close, the divisible one counts as larger, so that a divisible range
/// never splits an indivisible dimension.
template <typename A, typename B>
bool has_fewer_grains(::tbb::blocked_range<A> const& a, ::tbb::blocked_range<B> const& b) {
  if (a.is_divisible() != b.is_divisible()) return b.is_divisible();
  return static_cast<double>(a.size()) * static_cast<double>(b.grainsize()) <
         static_cast<double>(b.size()) * static_cast<double>(a.grainsize());
}

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
