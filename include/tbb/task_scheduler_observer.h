// SPDX-License-Identifier: Apache-2.0
// task_scheduler_observer: callbacks when threads enter and leave arenas.
#pragma once

#include <ashlar/base/interface.h>
#include <ashlar/sched/observer.h>
