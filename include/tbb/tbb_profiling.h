// SPDX-License-Identifier: Apache-2.0
// Classic TBB's name of profiling.h.
#pragma once

#include <tbb/profiling.h>

// In classic TBB this defines set_name for one type; ours is a template for all of them.
#define __TBB_DEFINE_PROFILING_SET_NAME(type)

#include <tbb/detail/closure/atomic.h>
