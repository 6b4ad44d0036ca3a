// SPDX-License-Identifier: Apache-2.0
// One look for work outside the own deque, in the papers' order: mailbox, enqueued jobs, then a round of thefts.
#pragma once

#include "sched/policy/search_limits.h"

#include <ashlar/sched/core/slot.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

// Reads the machine's topology, once; until then all slots are equally near.
void learn_topology() noexcept;

// Null if one round over all victims found nothing.
job* search_elsewhere(slot& s, search_limits const& limits, job_key& key) noexcept;

// For a thread that may take some jobs only, and found none at the top of any deque: lays what is on top, and not for
// it, aside for others, until it meets a job for itself. Null if there is none.
job* dig_for_work(slot& s, search_limits const& limits, job_key& key) noexcept;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
