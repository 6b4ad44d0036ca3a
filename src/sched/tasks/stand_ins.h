// SPDX-License-Identifier: Apache-2.0
// What tbb::task::self() returns where no classic task runs: in the body of a library algorithm, or outside of all
// tasks. One stand-in for each group that asked in this slot, so that the answer an outer body got stays valid while
// an inner one asks.
//
// Threads: the slot's occupant.
#pragma once

#include "sched/arena/arena.h"

#include <ashlar/sched/tasks/classic_prefix.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

class stand_ins : public slot_attachment {
 public:
  stand_ins() noexcept = default;
  stand_ins(stand_ins const&) = delete;
  stand_ins& operator=(stand_ins const&) = delete;
  ~stand_ins() override;

  // The stand-in for a task of the group. Throws std::bad_alloc.
  task_prefix& get(context& group);

 private:
  // Beyond so many the oldest is given to the new group: groups that live as long as their address is remembered
  // can't be told from those that are gone, and nobody nests algorithms so deep.
  static constexpr unsigned most = 256;
  struct node;
  node* newest_ = nullptr;
  unsigned count_ = 0;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
