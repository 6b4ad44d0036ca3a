// SPDX-License-Identifier: Apache-2.0
// What the containers' headers bring along.
#pragma once

#if !ASHLAR_LEAN_HEADERS
#include <tbb/detail/closure/atomic.h>
#include <tbb/detail/closure/exceptions.h>
#include <tbb/detail/closure/memory.h>
#include <tbb/profiling.h>

#include <cstring>
#include <iterator>
#if !ASHLAR_CLASSIC_DIALECT
#include <tbb/cache_aligned_allocator.h>
#endif
#endif
