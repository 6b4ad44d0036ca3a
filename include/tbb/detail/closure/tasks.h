// SPDX-License-Identifier: Apache-2.0
// What the headers of tasks bring along.
#pragma once

#if !ASHLAR_LEAN_HEADERS
#include <tbb/detail/closure/atomic.h>
#include <tbb/detail/closure/base.h>
#include <tbb/task.h>
#include <tbb/task_scheduler_init.h>

#include <climits>
#if !ASHLAR_CLASSIC_DIALECT
#include <iterator>
#include <mutex>
#endif
#endif
