// SPDX-License-Identifier: Apache-2.0
// Tasks of foreign programs as jobs of the scheduler: the job is a word in the task itself.
#pragma once

#include "running.h"

namespace ashlar {
inline namespace v1 {
namespace compat12 {

// Runs the task, and those that it and its successors return, in its group.
sched::job* run_task(sched::job* self, sched::slot& here) noexcept;

// The thread that has spawned a task and the one that shall run it, as they stand beside each other in a task and in
// its execution_data.
enum placement : std::uint32_t {};
ASHLAR_ALWAYS_INLINE placement placement_at(sched::slot const& here, d1::slot_id affinity = d1::no_slot) noexcept {
  return static_cast<placement>(static_cast<std::uint16_t>(here.position()) | std::uint32_t{affinity} << 16);
}
ASHLAR_ALWAYS_INLINE placement placement_of(d1::task const& t) noexcept {
  placement p;
  __builtin_memcpy(&p, &t.spawner, sizeof p);
  return p;
}
template <typename Data>
ASHLAR_ALWAYS_INLINE void set_placement(Data& d, placement p) noexcept {
  __builtin_memcpy(&d.original_slot, &p, sizeof p);
}

// Makes the task a job of the group that the caller spawns or enqueues.
ASHLAR_ALWAYS_INLINE sched::job& prepare(sched::slot& here, d1::task& t, d1::task_group_context& group,
                                         d1::slot_id affinity = d1::no_slot) noexcept {
  t.link.run = &run_task;
  t.context = &group;
  placement const p = placement_at(here, affinity);
  __builtin_memcpy(&t.spawner, &p, sizeof p);
  return t.link;
}

}  // namespace compat12
}  // namespace v1
}  // namespace ashlar
