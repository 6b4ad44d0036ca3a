// SPDX-License-Identifier: Apache-2.0
// task_group and its companions: task_group_context, task_handle, isolated_task_group, structured_task_group.
#pragma once

#include <ashlar/base/exceptions.h>
#include <ashlar/base/interface.h>
#include <ashlar/sched/isolated_task_group.h>
#include <ashlar/sched/structured_task_group.h>
#include <ashlar/sched/task_group.h>
#include <ashlar/sched/task_group_context.h>
