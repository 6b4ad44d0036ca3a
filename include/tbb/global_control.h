// SPDX-License-Identifier: Apache-2.0
// global_control: limits on threads, stack size and the treatment of exceptions, for the whole process.
#pragma once

#include <ashlar/base/interface.h>
#include <ashlar/sched/global_control.h>
