// SPDX-License-Identifier: Apache-2.0
// What a task of a foreign program runs with: the record behind the execution_data that it is given, one for each task
// on the thread's stack, the innermost one first.
#pragma once

#include "contract.h"

#include <ashlar/sched/core/running_above.h>
#include <ashlar/sched/core/slot.h>

namespace ashlar {
inline namespace v1 {
namespace compat12 {

namespace d1 = tbb::detail::d1;

struct running : d1::execution_data {
  sched::slot* here;
  d1::task* what;  // null in the filter of a pipeline
  running* outer;
};

// Of the calling thread, or null. It belongs to the stack on which the task runs, and goes with it.
ASHLAR_ALWAYS_INLINE running* innermost() noexcept { return static_cast<running*>(sched::running_above); }
ASHLAR_ALWAYS_INLINE void set_innermost(running* r) noexcept { sched::running_above = r; }

}  // namespace compat12
}  // namespace v1
}  // namespace ashlar
