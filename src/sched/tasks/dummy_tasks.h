// SPDX-License-Identifier: Apache-2.0
// What tbb::task::self() returns where no classic task runs: in the body of a library algorithm, or outside of all
// tasks. One dummy task for each group that asked in this slot, so that the answer an outer body got stays valid while
// an inner one asks.
//
// Threads: the slot's occupant.
#pragma once

#include "sched/arena/arena.h"

#include <ashlar/sched/tasks/classic_prefix.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

class dummy_tasks : public slot_attachment {
 public:
  dummy_tasks() noexcept = default;
  dummy_tasks(dummy_tasks const&) = delete;
  dummy_tasks& operator=(dummy_tasks const&) = delete;
  ~dummy_tasks() override;

  // The dummy task for a task of the group. Throws std::bad_alloc.
  task_prefix& get(context& group);

 private:
  // Beyond so many dummy tasks the oldest is given to the new group: groups that live as long as their address is
  // remembered can't be told from those that are gone, and nobody nests algorithms so deep.
  static constexpr unsigned most = 256;
  struct node;
  node* newest_ = nullptr;
  unsigned count_ = 0;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
