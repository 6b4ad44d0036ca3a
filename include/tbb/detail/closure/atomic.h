// SPDX-License-Identifier: Apache-2.0
// What classic TBB's headers that use its atomics bring along.
#pragma once

#if !ASHLAR_LEAN_HEADERS
#include <tbb/aligned_space.h>
#include <tbb/atomic.h>
#include <tbb/detail/closure/stddef.h>
#include <tbb/tbb_machine.h>
#if !ASHLAR_CLASSIC_DIALECT
#include <tbb/profiling.h>
#endif
#endif
