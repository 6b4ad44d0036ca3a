// SPDX-License-Identifier: Apache-2.0
// blocked_range2d: a rectangle of rows and columns, for the algorithms to split.
#pragma once

#include <ashlar/algo/blocked_range2d.h>
#include <ashlar/base/interface.h>
#include <tbb/blocked_range.h>

// blocked_range2d<RowValue, ColValue = RowValue>(row_begin, row_end, row_grainsize, col_begin, col_end, col_grainsize)
// blocked_range2d<RowValue, ColValue = RowValue>(row_begin, row_end, col_begin, col_end)        grain sizes of 1
//
// row_range_type, col_range_type    blocked_range<RowValue>, blocked_range<ColValue>
// rows(), cols()                    the two intervals
// empty()                           one of them is empty
// is_divisible()                    one of them is divisible
// (r, split), (r, proportional_split&)
//     split the interval that is larger in units of its grain size, the rows if both are equal, as blocked_range does;
//     the other one stays whole. An indivisible interval is not split as long as the other one is divisible. If a
//     copy of a bound throws, r may have lost the part that was to be split off.
namespace tbb {}

#include <tbb/detail/closure/base.h>
