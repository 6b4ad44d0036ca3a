// SPDX-License-Identifier: Apache-2.0
// The thread's innermost tasks of the kinds that know themselves: they belong to the stack on which they run.
#pragma once

#include <ashlar/base/config.h>
#include <ashlar/sched/core/running_above.h>

namespace tbb::detail::d1::inline ashlar_v1 {
class task;
}

namespace ashlar {
inline namespace v1 {
namespace sched {

struct deferred_job;

extern ASHLAR_INITIAL_EXEC __thread deferred_job* running_deferred;
extern ASHLAR_INITIAL_EXEC __thread tbb::detail::d1::task* running_d1;

using running_tasks = void* [4];

// The functions are not inline: an idle stack may go on under the slot's next thread, and a caller that has changed
// stacks between the two must not keep the address of the first thread's variables.
ASHLAR_NOINLINE inline void save_running_tasks(running_tasks& to) noexcept {
  to[0] = running_deferred;
  to[1] = running_d1;
  to[2] = running_above;
  to[3] = awaited_above;
}
ASHLAR_NOINLINE inline void restore_running_tasks(running_tasks const& from) noexcept {
  running_deferred = static_cast<deferred_job*>(from[0]);
  running_d1 = static_cast<tbb::detail::d1::task*>(from[1]);
  running_above = from[2];
  awaited_above = from[3];
}

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
