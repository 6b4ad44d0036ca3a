// SPDX-License-Identifier: Apache-2.0
// Classic TBB's critical_section, after Microsoft's: a fair lock that knows its owner. lock() by the thread that holds
// it throws improper_lock, try_lock() then returns false. scoped_lock locks in its constructor and unlocks in its
// destructor. About fairness see queuing_mutex.h.
#pragma once

#include <ashlar/base/improper_lock.h>
#include <ashlar/sync/owned_lock.h>
#include <tbb/profiling.h>

namespace tbb {
namespace internal {
using critical_section_v4 = ::tbb::critical_section;
}
}  // namespace tbb

#include <tbb/detail/closure/threads.h>
#if !ASHLAR_LEAN_HEADERS
#include <tbb/tbb_exception.h>
#endif
