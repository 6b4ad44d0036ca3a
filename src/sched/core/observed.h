// SPDX-License-Identifier: Apache-2.0
// What the scheduler does while statistics or a trace are on. The fast paths come here only then.
#pragma once

#include "obs/trace.h"
#include "sched/policy/job_kind.h"

#include <ashlar/sched/core/slot.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

// Runs the job and what it returns, counted and traced.
void run_observed(slot& s, job* what) noexcept;
// Spawns a job that has been spawned before, and counts it once. Throws std::bad_alloc.
void spawn_again(slot& s, job& what, job_key key);
// After a slot's own spawn: the job has been spawned before.
void uncount_spawn(slot& s) noexcept;
// Tells the trace, if there is one, that a job was made available, or is about to be run directly.
void write_spawn(job& what) noexcept;
inline void trace_spawn(job& what) noexcept {
  if (obs::tracing()) write_spawn(what);
}
// The same for the newest job of the slot's deque.
void trace_push(slot& s) noexcept;
// The calling thread starts to run the job.
void write_begin(job& what) noexcept;
inline void trace_begin(job& what) noexcept {
  if (obs::tracing()) write_begin(what);
}

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
