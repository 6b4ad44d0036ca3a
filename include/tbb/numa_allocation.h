// SPDX-License-Identifier: Apache-2.0
// allocate_numa_interleaved and deallocate_numa_interleaved.
#pragma once

#include <ashlar/base/interface.h>
#include <ashlar/sched/api/numa_allocation.h>

#include <tbb/detail/closure/base.h>
#if !ASHLAR_LEAN_HEADERS
#include <tbb/info.h>
#endif
