// SPDX-License-Identifier: Apache-2.0
// Leaving a stack, to go on with it later: what tbb::task::suspend calls.
#pragma once

#include <ashlar/base/config.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

struct stack;

// Leaves the running stack and calls call(f, it) on another one. Returns once it was resumed. Throws std::bad_alloc.
ASHLAR_EXPORT void suspend_stack(void (*call)(void* f, stack& left), void* f);
// Any thread, once for each suspension; a second call is detected as long as the stack hasn't been left again.
ASHLAR_EXPORT void resume_stack(stack& left) noexcept;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
