// SPDX-License-Identifier: Apache-2.0
// Kept for programs that include it by this name.
#pragma once

#include <ashlar/sched/tasks/d1_task.h>
