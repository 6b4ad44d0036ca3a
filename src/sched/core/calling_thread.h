// SPDX-License-Identifier: Apache-2.0
// Which thread calls, for threads that need not use the scheduler.
#pragma once

namespace ashlar {
inline namespace v1 {
namespace sched {

// An address that no other living thread has. Not inline: a model has its own.
void const* calling_thread() noexcept;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
