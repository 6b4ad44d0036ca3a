// SPDX-License-Identifier: Apache-2.0
// blocked_range3d: a box of pages, rows and columns, for the algorithms to split.
#pragma once

#include <ashlar/algo/blocked_range3d.h>
#include <ashlar/base/interface.h>
#include <tbb/blocked_range.h>

// blocked_range3d<PageValue, RowValue = PageValue, ColValue = RowValue>(
//     page_begin, page_end, page_grainsize, row_begin, row_end, row_grainsize, col_begin, col_end, col_grainsize)
// blocked_range3d<...>(page_begin, page_end, row_begin, row_end, col_begin, col_end)            grain sizes of 1
//
// page_range_type, row_range_type, col_range_type    the blocked_range of each type
// pages(), rows(), cols()                            the three intervals
// empty()                                            one of them is empty
// is_divisible()                                     one of them is divisible
// (r, split), (r, proportional_split&)
//     split the interval that is largest in units of its grain size, of equal ones the pages before the rows before
//     the columns, as blocked_range2d does.
namespace tbb {}

#include <tbb/detail/closure/base.h>
