// SPDX-License-Identifier: Apache-2.0
// concurrent_set and concurrent_multiset: as concurrent_map.h, with keys alone.
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
