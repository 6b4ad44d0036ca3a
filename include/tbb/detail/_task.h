// SPDX-License-Identifier: Apache-2.0
// oneTBB's inner task interface (tbb::detail::d1), which libstdc++'s parallel algorithms use. Programs include
// <tbb/task.h>, which has it in the oneTBB dialect.
#pragma once

#include <ashlar/sched/tasks/d1_task.h>

#include <atomic>  // libstdc++ expects it here
