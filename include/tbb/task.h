// SPDX-License-Identifier: Apache-2.0
// Classic TBB's task interface (tbb::task, tbb::task_list, tbb::empty_task) and oneTBB's tbb::task::suspend,
// resume and current_context, which are static members of the same class. The class documents itself below.
//
// Sources: 'The Foundations for Scalable Multi-Core Software in Intel Threading Building Blocks' (2007), the TBB
// reference manual of 2020, oneTBB specification 1.4.
#pragma once

#include <ashlar/sched/tasks/classic_task.h>
#include <ashlar/sched/tasks/suspend.h>
#if !ASHLAR_CLASSIC_DIALECT
#include <tbb/detail/_task.h>  // libstdc++ expects it here
#endif

#include <tbb/detail/closure/tasks.h>
