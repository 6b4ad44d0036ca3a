// SPDX-License-Identifier: Apache-2.0
// allocate_numa_interleaved and deallocate_numa_interleaved.
#pragma once

#include <ashlar/base/interface.h>
#include <ashlar/sched/api/numa_allocation.h>

#if !ASHLAR_CLASSIC_DIALECT
// The names below the public surface that programs have used.
namespace tbb {
namespace detail {
namespace r1 {
inline namespace ashlar_v1 {
using ::ashlar::sched::allocate_interleaved;
using ::ashlar::sched::deallocate_interleaved;
}  // namespace ashlar_v1
}  // namespace r1
}  // namespace detail
}  // namespace tbb
#endif

#include <tbb/detail/closure/base.h>
#if !ASHLAR_LEAN_HEADERS
#include <tbb/info.h>
#endif
