// SPDX-License-Identifier: Apache-2.0
// Contexts of foreign programs: a node of the scheduler's own tree inside the 128 bytes of the program's object, so
// that cancellation crosses the boundary in both directions.
//
// Threads    use, record_exception, rethrow: any; everything else while no task runs in the context.
// Ordering   [CT1] bind: the node's parent, then the state, release -> [CT2] use: state, acquire
//            [CT3] record_exception: the exception, then its address, release -> [CT4] rethrow takes it: acquire
// Model      tests/model/compat12_tasks_model.cpp
#pragma once

#include "contract.h"

#include <ashlar/sched/core/slot.h>

namespace ashlar {
inline namespace v1 {
namespace compat12 {

using foreign_context = tbb::detail::d1::task_group_context;

// What foreign_context::care says of the group's next spawn: a plain one, one that may begin a loop, or a reserved one
// (loop_memory.h).
enum loop_care : std::uint32_t { plain, fresh, reserved };

ASHLAR_COLD void bind(foreign_context& c, sched::slot& here) noexcept;

// The node, hung below the caller's running task at its first use.
ASHLAR_ALWAYS_INLINE sched::context& use(foreign_context& c, sched::slot& here) noexcept {
  if (ASHLAR_UNLIKELY(c.state.load(mo::acquire) < foreign_context::top)) bind(c, here);  // [CT2]
  return c.node();
}

// Keeps the exception that is being handled, unless another one waits to be taken, and cancels the group.
void record_exception(foreign_context& c) noexcept;

ASHLAR_COLD void rethrow_recorded(foreign_context& c);
// Rethrows the exception that nobody has taken yet, if there is one: of several threads that wait for a group one gets
// it.
ASHLAR_ALWAYS_INLINE void rethrow(foreign_context& c) {
  if (ASHLAR_UNLIKELY(c.exception.load(mo::relaxed) != nullptr)) rethrow_recorded(c);
}

// A context that is never cancelled, for functions that belong to no group.
foreign_context& no_group() noexcept;

}  // namespace compat12
}  // namespace v1
}  // namespace ashlar
