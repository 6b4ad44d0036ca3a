// SPDX-License-Identifier: Apache-2.0
// How an application thread comes to the scheduler and leaves it.
#pragma once

#include "sched/core/thread_data.h"

#include <ashlar/sched/core/slot.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

// Gives the calling thread, which has no slot, an arena of its own with so many slots (0: the default), or takes it
// away again.
slot& attach_thread(unsigned concurrency);
void detach_thread() noexcept;
// The calling thread ends: its scopes of task_scheduler_init are over.
void forget_scopes() noexcept;
// Takes the calling thread's arena away if it runs no task; false if it does, or is a worker.
bool leave_scheduler() noexcept;
// If the calling thread runs no task, lets it take a slot of another arena at its next use: it leaves behind the
// workers that have come there, which may still be looking for work.
void renew_idle_slot() noexcept;

// The calling thread's data, made on first use; ended by the thread's exit.
ASHLAR_COLD thread_data& make_thread_data();
inline thread_data& this_thread_data() {
  return ASHLAR_LIKELY(current_thread != nullptr) ? *current_thread : make_thread_data();
}

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
