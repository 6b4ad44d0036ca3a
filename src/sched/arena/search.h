// SPDX-License-Identifier: Apache-2.0
// One look for work outside the own deque: mailbox, a round of thefts, then enqueued jobs (README.md, 'Who is who').
#pragma once

#include "sched/policy/search_limits.h"

#include <ashlar/sched/core/own_jobs.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

// Reads the machine's topology, once; until then all slots are equally near.
void learn_topology() noexcept;

// A pause, which is empty as long as the thread's thefts were worth it. Returns its length in nanoseconds.
unsigned pause_before_theft(thread_data const& t, unsigned longest_ns) noexcept;

// Null if one round over all victims found nothing.
job* search_elsewhere(slot& s, search_limits const& limits, job_key& key) noexcept;

// For a thread that may take some jobs only, and has found none at the top of any deque: lays jobs on top that are not
// for the thread aside for others, until it meets one that is. Null if there is none.
// `own`: it may take these as well, also those that lie below its base; null: there are none.
job* dig_for_work(slot& s, search_limits const& limits, own_jobs const* own, job_key& key) noexcept;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
