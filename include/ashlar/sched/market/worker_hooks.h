// SPDX-License-Identifier: Apache-2.0
// Functions that every worker thread calls when it begins and when it ends: to name it, to pin it, to prepare
// thread-local state. Ours: no TBB has it.
#pragma once

#include <ashlar/base/config.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

// `begun` is called before the worker's first task, `ending` after its last; either may be null. Both must not throw.
// They hold for workers that begin after the call; make it before the first use of the scheduler to reach all of them.
// Any thread.
using worker_function = void (*)(void* argument) noexcept;
ASHLAR_EXPORT void set_worker_hooks(worker_function begun, worker_function ending, void* argument) noexcept;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
