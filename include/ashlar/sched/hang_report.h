// SPDX-License-Identifier: Apache-2.0
// The hang report: who waits for what, when nothing goes on. Ours: no TBB has it.
#pragma once

#include <ashlar/base/config.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

// Prints to stderr, now: for each thread that uses the library what it waits for and since when, and for each arena its
// seats, queues and workers; of each thread that is inside of a task its backtrace, which the thread itself takes in a
// handler of SIGCONT. Waits are known while statistics or the watch are on. Any thread, one at a time.
ASHLAR_EXPORT void print_hang_report() noexcept;

// Lets a thread of its own watch the tasks from now on: when none has completed for so long, while some thread waits or
// all tasks block, it prints the report, once until something completes again. Where one computes, it says so: that is
// no hang, and isn't counted as one. 0 ends the watch. ASHLAR_HANG_REPORT=seconds calls this
// when the library is first used. While the watch is on tasks cost what they cost with ASHLAR_STATS=1. A forked child
// isn't watched until it calls this itself. Any thread.
ASHLAR_EXPORT void watch_for_hangs(unsigned milliseconds) noexcept;

// Reports that the watch has printed.
ASHLAR_EXPORT unsigned hangs_reported() noexcept;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
