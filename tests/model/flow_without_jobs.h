// SPDX-License-Identifier: Apache-2.0
// Nodes of which no message makes a job, so that a model needs no scheduler. Threads that ask who they are have the
// same slot, unless the scene gives them one of their own (seats).
#pragma once

#include <flow_graph_parts.h>

namespace ashlar::inline v1::sched {

alignas(slot) unsigned char common_slot[sizeof(slot)];
slot& attach_thread() { return reinterpret_cast<slot&>(common_slot); }
void deque::make_room(index) { must_not_be_called(); }
void* task_pool::refill(std::size_t) { return must_not_be_called(), nullptr; }
void task_pool::release_remote(void*, std::size_t, task_pool*) noexcept { must_not_be_called(); }
void group_counter::finish_elsewhere() noexcept { must_not_be_called(); }

}  // namespace ashlar::inline v1::sched

namespace ashlar::inline v1::flow {

void graph_core::start_specially(slot&, job&) { must_not_be_called(); }

}  // namespace ashlar::inline v1::flow

namespace ashlar::model {

alignas(sched::slot) inline unsigned char slot_memory[3][sizeof(sched::slot)];

/// For scenes in which threads have slots of their own: each takes one.
class seats {
 public:
  seats() {
    own(sched::current_slot);
    take(0);
  }
  void take(int i) { sched::current_slot = reinterpret_cast<sched::slot*>(slot_memory[i]); }
};

}  // namespace ashlar::model
