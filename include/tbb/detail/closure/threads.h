// SPDX-License-Identifier: Apache-2.0
// What classic TBB's headers that know threads bring along.
#pragma once

#if !ASHLAR_LEAN_HEADERS
#include <ashlar/containers/hash_compare.h>
#include <tbb/detail/closure/atomic.h>
#include <tbb/tbb_allocator.h>
#include <tbb/tbb_thread.h>
#include <tbb/tick_count.h>

#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#endif
