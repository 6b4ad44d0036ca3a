// SPDX-License-Identifier: Apache-2.0
// tbb::task_scheduler_init: how a classic program says how many threads it wants. Removed in oneTBB.
#pragma once

#include <ashlar/sched/api/classic_init.h>

#include <tbb/detail/closure/stddef.h>
