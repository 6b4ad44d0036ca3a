// SPDX-License-Identifier: Apache-2.0
// blocked_nd_range: a box of N dimensions of one type, for the algorithms to split.
//
//   tbb::blocked_nd_range<int, 4> a({0, 10}, {0, 20, 5}, {-3, 3}, {0, 7});
//   int const sizes[] = {10, 20, 30};
//   tbb::blocked_nd_range b(sizes);  // [0, 10) x [0, 20) x [0, 30)
#pragma once

#include <ashlar/algo/blocked_nd_range.h>
#include <ashlar/base/interface.h>
#include <tbb/blocked_range.h>

// blocked_nd_range<Value, N>(dim_0, ..., dim_N-1)        intervals, or braced lists {begin, end[, grainsize]} of them
// blocked_nd_range<Value, N>(sizes, grainsize = 1)       from an array of N sizes or a braced list of them; each
//                                                        dimension begins at 0
//
// value_type, dim_range_type, size_type    Value, blocked_range<Value>, std::size_t
// dim(i)                                   the interval of dimension i < N
// dim_count()                              N; ndims() in classic TBB
// empty()                                  one dimension is empty
// is_divisible()                           one dimension is divisible
// (r, split), (r, proportional_split)
//     split the dimension that is largest in units of its grain size, the first of equal ones, as blocked_range2d does.
//
// blocked_rangeNd<Value, N> is the same type.
namespace tbb {}

#include <tbb/detail/closure/base.h>
#if !ASHLAR_LEAN_HEADERS
#if !ASHLAR_CLASSIC_DIALECT
#include <algorithm>
#include <iterator>
#endif
#endif
