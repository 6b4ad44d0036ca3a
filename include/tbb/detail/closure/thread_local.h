// SPDX-License-Identifier: Apache-2.0
// What the headers of the thread-local containers bring along.
#pragma once

#if !ASHLAR_LEAN_HEADERS
#include <ashlar/containers/hash_compare.h>
#include <tbb/blocked_range.h>
#include <tbb/cache_aligned_allocator.h>
#include <tbb/concurrent_vector.h>
#include <tbb/detail/closure/containers.h>
#include <tbb/tbb_thread.h>
#include <tbb/tick_count.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <memory>
#if !ASHLAR_CLASSIC_DIALECT
#include <tbb/task.h>
#endif
#endif
