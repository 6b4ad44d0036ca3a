// SPDX-License-Identifier: Apache-2.0
// Waits for a group in one of its own tasks, which can't end: src/sched/README.md, 'Waits for oneself'.
#pragma once

#include <ashlar/sched/core/slot.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

/// Throws tbb::unsafe_wait if the calling thread is in a task of the group that has the context `own`: directly, or in
/// an algorithm or a call of an arena that such a task has made.
ASHLAR_EXPORT void refuse_own_wait(slot const& s, context const& own);

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
