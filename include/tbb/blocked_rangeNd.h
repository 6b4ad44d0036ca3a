// SPDX-License-Identifier: Apache-2.0
// blocked_rangeNd: the name that classic TBB gives to blocked_nd_range.
#pragma once

#include <tbb/blocked_nd_range.h>

#include <tbb/detail/closure/stddef.h>
#if !ASHLAR_LEAN_HEADERS
#include <algorithm>
#include <array>
#include <iterator>
#endif
