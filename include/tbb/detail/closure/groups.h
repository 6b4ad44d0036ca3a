// SPDX-License-Identifier: Apache-2.0
// What the headers of task groups, arenas and observers bring along.
#pragma once

#if !ASHLAR_LEAN_HEADERS
#include <tbb/detail/closure/exceptions.h>
#include <tbb/detail/closure/tasks.h>

#include <cstring>
#include <iterator>
#if !ASHLAR_CLASSIC_DIALECT
#include <tbb/task_group.h>
#endif
#endif
