// SPDX-License-Identifier: Apache-2.0
// task_group and its companions: task_group_context, task_handle, isolated_task_group, structured_task_group.
#pragma once

#include <ashlar/base/exceptions.h>
#include <ashlar/base/interface.h>
#include <ashlar/sched/tasks/isolated_task_group.h>
#include <ashlar/sched/tasks/structured_task_group.h>
#include <ashlar/sched/tasks/task_group.h>
#include <ashlar/sched/tasks/task_group_context.h>

// The names below the public surface that programs have used.
namespace tbb {
namespace detail {
namespace d1 {
inline namespace ashlar_v1 {
using ::tbb::task_group_context;
}  // namespace ashlar_v1
}  // namespace d1
}  // namespace detail
namespace detail {
namespace d2 {
inline namespace ashlar_v1 {
using ::tbb::task_handle;
}  // namespace ashlar_v1
}  // namespace d2
}  // namespace detail
}  // namespace tbb

#include <tbb/detail/closure/groups.h>
#if !ASHLAR_LEAN_HEADERS
#if !ASHLAR_CLASSIC_DIALECT
#include <chrono>
#endif
#endif
