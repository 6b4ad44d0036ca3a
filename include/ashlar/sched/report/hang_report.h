// SPDX-License-Identifier: Apache-2.0
// The hang report: who waits for what, when nothing goes on. Ours: no TBB has it.
#pragma once

#include <ashlar/base/config.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

/// Prints to stderr, now: each thread that is stuck (it waits in the library, or is inside of a task and blocks) with
/// its task's name, what it waits for and since when, who waits for it, a hint and its backtrace, which the thread
/// itself takes in a handler of SIGCONT; the suspended tasks; each arena's slots, queues and workers. Waits are known
/// while statistics or the watch are on, names of tasks and suspended tasks while the watch or the signal is. Takes 50
/// ms more than the printing, to see who goes on. Any thread, one at a time.
ASHLAR_EXPORT void print_hang_report() noexcept;

/// Lets a thread of its own watch the tasks from now on. When none has completed for so long, it prints once until
/// something completes again: the whole report if nobody goes on; a line and the tasks if a task computes or sleeps,
/// which is no hang. 0 ends the watch. ASHLAR_HANG_REPORT=seconds calls this when the library is first used. While the
/// watch is on tasks cost some 60 ns more than they cost with ASHLAR_STATS=1, and a suspension a backtrace. A forked
/// child isn't watched until it calls this itself. Any thread.
ASHLAR_EXPORT void watch_for_hangs(unsigned milliseconds) noexcept;

/// Lets this signal print the report from now on (a thread of its own does, so that the handler only wakes it); 0: no
/// signal. ASHLAR_HANG_SIGNAL=number calls this when the library is first used. False if the number is not a signal's,
/// or the program handles or ignores that signal itself. The cost is the watch's. Any thread.
ASHLAR_EXPORT bool report_hangs_on_signal(int number) noexcept;

/// What the whole report calls for each different address that a thread waits for, after the arenas. The function
/// prints to stderr, takes locks only by trying, and may throw std::bad_alloc. For a layer above the scheduler, which
/// sets it once, when it is first used; null: nothing. Any thread.
using report_part = void (*)(void const* address);
ASHLAR_EXPORT void set_report_part(report_part print) noexcept;

/// Hangs that the watch has reported. What it says of tasks that compute or sleep is not counted, nor are reports on
/// demand.
ASHLAR_EXPORT unsigned hangs_reported() noexcept;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
