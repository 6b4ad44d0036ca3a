// SPDX-License-Identifier: Apache-2.0
// Classic TBB's counting_iterator, zip_iterator, transform_iterator and permutation_iterator. All are random-access
// iterators that make their elements when they are asked for.
#pragma once

#include <ashlar/algo/iterators.h>
#include <ashlar/base/interface.h>

#include <tbb/detail/closure/stddef.h>
#if !ASHLAR_LEAN_HEADERS
#include <iterator>
#include <limits>
#endif
