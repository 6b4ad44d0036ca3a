// SPDX-License-Identifier: Apache-2.0
// Classic TBB's recursive_mutex: a thread that holds it may lock it again, and has to unlock it as often. A pthread
// mutex with native_handle(), 40 bytes. Throws std::runtime_error if the system refuses. Not fair.
#pragma once

#include <ashlar/sync/os_mutex.h>
#include <tbb/profiling.h>

#include <tbb/detail/closure/atomic.h>
