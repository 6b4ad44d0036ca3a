// SPDX-License-Identifier: Apache-2.0
// Namespace info: NUMA nodes, core types and the default number of threads.
#pragma once

#include <ashlar/base/interface.h>
#include <ashlar/sched/api/info.h>

#include <tbb/detail/closure/base.h>
