// SPDX-License-Identifier: Apache-2.0
// Tasks of foreign programs as jobs of the scheduler: the job is a word in the task itself.
#pragma once

#include "running.h"

namespace ashlar {
inline namespace v1 {
namespace compat12 {

// Runs the task, and those that it and its successors return, in its group.
sched::job* run_task(sched::job* self, sched::slot& here) noexcept;

// Makes the task a job of the group that the caller spawns or enqueues.
ASHLAR_ALWAYS_INLINE sched::job& prepare(sched::slot& here, d1::task& t, d1::task_group_context& group,
                                         d1::slot_id affinity = d1::no_slot) noexcept {
  t.link.run = &run_task;
  t.context = &group;
  t.spawner = static_cast<d1::slot_id>(here.position());
  t.affinity = affinity;
  return t.link;
}

}  // namespace compat12
}  // namespace v1
}  // namespace ashlar
