// SPDX-License-Identifier: Apache-2.0
// What the line about a stack overflow says of the thread: which task, which arena, how deep.
#pragma once

namespace ashlar {
inline namespace v1 {
namespace sched {

// At the first use of the scheduler by an application's thread: watches for overflows, unless ASHLAR_STACK_REPORT or
// the program says no. The main thread gets a stack for the handler, if it is the caller.
void watch_overflows_unless_told() noexcept;
// The same at each call, for threads that begin afterwards. False if it does not watch.
bool watch_overflows_now() noexcept;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
