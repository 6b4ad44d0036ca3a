// SPDX-License-Identifier: Apache-2.0
// concurrent_set and concurrent_multiset: sorted sets, as concurrent_map and concurrent_multimap with keys alone: any
// thread may insert, find and traverse, in logarithmic time on average and without waiting; names that begin with
// unsafe_, and clear, merge, swap and assignment, need the containers for themselves. Elements never move. An exception
// leaves the set as it was.
#pragma once

#include <ashlar/containers/concurrent_set.h>
#include <tbb/tbb_allocator.h>

#include <tbb/detail/closure/containers.h>
#if !ASHLAR_LEAN_HEADERS
#include <tbb/enumerable_thread_specific.h>
#include <tbb/spin_mutex.h>
#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <random>
#endif
