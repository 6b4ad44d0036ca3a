// SPDX-License-Identifier: Apache-2.0
// What classic TBB's headers that throw bring along.
#pragma once

#if !ASHLAR_LEAN_HEADERS
#include <tbb/detail/closure/stddef.h>
#include <tbb/tbb_allocator.h>
#include <tbb/tbb_exception.h>
#endif
