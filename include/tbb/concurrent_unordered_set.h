// SPDX-License-Identifier: Apache-2.0
// concurrent_unordered_set and concurrent_unordered_multiset: hash sets, as concurrent_unordered_map and
// concurrent_unordered_multimap with keys alone: any thread may insert, find and traverse, in constant time on average,
// and readers never wait; names that begin with unsafe_, and clear, merge, swap, rehash, reserve and assignment, need
// the containers for themselves. Elements never move while nothing is taken out. An exception leaves the set as it was.
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
