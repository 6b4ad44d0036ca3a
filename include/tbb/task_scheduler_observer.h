// SPDX-License-Identifier: Apache-2.0
// task_scheduler_observer: callbacks when threads enter and leave arenas.
#pragma once

#include <ashlar/base/interface.h>
#include <ashlar/sched/api/observer.h>

// The names below the public surface that programs have used.
namespace tbb {
namespace internal {
using task_scheduler_observer_v3 = ::tbb::task_scheduler_observer;
}
}  // namespace tbb

#include <tbb/detail/closure/groups.h>
#if !ASHLAR_LEAN_HEADERS
#if !ASHLAR_CLASSIC_DIALECT
#include <tbb/info.h>
#include <tbb/task_arena.h>
#else
#include <ashlar/sched/api/task_arena.h>
#endif
#endif
