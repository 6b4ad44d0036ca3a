// SPDX-License-Identifier: Apache-2.0
// task_arena, and the namespace this_task_arena.
#pragma once

#include <ashlar/base/interface.h>
#include <ashlar/sched/numa_arenas.h>
#include <ashlar/sched/task_arena.h>
