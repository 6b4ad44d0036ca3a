// SPDX-License-Identifier: Apache-2.0
// Coroutines that run as tasks, and co_await on a task_group, a task_handle or a task_completion_handle. For C++20;
// empty without coroutines. Ours: no TBB has it.
#pragma once

#include <ashlar/base/interface.h>
#include <ashlar/sched/tasks/coroutine.h>
