// SPDX-License-Identifier: Apache-2.0
// concurrent_unordered_set and concurrent_unordered_multiset: as concurrent_unordered_map.h, with keys alone.
#pragma once

#include <ashlar/containers/concurrent_unordered_set.h>
#include <tbb/tbb_allocator.h>

#include <tbb/detail/closure/containers.h>
#if !ASHLAR_LEAN_HEADERS
#include <functional>
#if !ASHLAR_CLASSIC_DIALECT
#include <algorithm>
#endif
#endif
