// SPDX-License-Identifier: Apache-2.0
// concurrent_set and concurrent_multiset: as concurrent_map.h, with keys alone.
#pragma once

#include <ashlar/containers/concurrent_set.h>
#include <tbb/tbb_allocator.h>
