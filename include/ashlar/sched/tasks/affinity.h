// SPDX-License-Identifier: Apache-2.0
// Sending a job to a given slot of the arena (task-to-thread affinity), or to all at once (critical tasks). A hint, not
// an order: the job also lies in the sender's deque, and whoever comes first runs it.
#pragma once

#include <ashlar/sched/core/slot.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

/// Spawns the job and mails it to the slot with index `target`; without the mail if that slot doesn't exist, is the
/// sender's own, or has too much mail already. Throws std::bad_alloc (then nothing has happened).
ASHLAR_EXPORT void spawn_to(slot& s, job& what, job_key key, unsigned target);

/// Spawns the job and tells all threads of the arena, which take it before their own jobs: a critical task. Threads in
/// isolated regions find it in the deque, in its turn. Throws std::bad_alloc (then nothing has happened).
ASHLAR_EXPORT void spawn_urgent(slot& s, job& what, job_key key);

/// Makes the job available to all threads of the arena, which take it after all others; threads in isolated regions
/// don't. Throws std::bad_alloc (then nothing has happened).
ASHLAR_EXPORT void spawn_deferred(slot& s, job& what);

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
