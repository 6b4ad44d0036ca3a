// SPDX-License-Identifier: Apache-2.0
// What an input with a body consists of: its places, the messages that wait, its predecessors, and the activation that
// a serial node has in itself.
//
// Threads    any.
// Invariants FI1 each activation of a limited node, each body that runs in a sender's task, and each message that is
//                being pulled holds a place.
//            FI2 queue_ is touched only while places_ is locked.
//            FI3 own_, batch_ and burst_ belong to whoever holds the only place of a serial node.
//            FI4 a message of batch_ was put before all that wait in queue_.
#pragma once

#include <ashlar/flow/work/activation.h>
#include <ashlar/flow/work/burst.h>
#include <ashlar/flow/work/message_batch.h>
#include <ashlar/flow/work/message_queue.h>
#include <ashlar/flow/work/places.h>
#include <ashlar/flow/work/policy_traits.h>

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// The base of the others: what they share.
template <typename Input>
class input_state : public node_receiver<Input> {
 protected:
  using job = ::ashlar::sched::job;
  using slot = ::ashlar::sched::slot;
  using passage = ::ashlar::flow::passage;
  using graph_core = ::ashlar::flow::graph_core;
  using work = ::ashlar::flow::message_activation<input_state, Input>;
  using places = ::ashlar::flow::places;
  using hold = places::hold;

  // `run`: what an activation of the node does. `room`: for messages that wait.
  input_state(graph& g, std::size_t limit, std::size_t room, node_priority_t priority, job::entry run) noexcept
      : core_(&g.core()),
        graph_(&g),
        run_(run),
        priority_(priority),
        takes_batches_(limit == 1 && room == ::ashlar::flow::any_number),
        room_(room),
        places_(static_cast<std::uint32_t>(limit > places::most ? std::size_t{0} : limit)),
        own_(*this, nullptr, run) {}
  ~input_state() override = default;

  graph& graph_reference() const override { return *graph_; }
  graph_core& core() const noexcept { return *core_; }
  std::size_t limit() const noexcept { return places_.limit(); }
  std::size_t room() const noexcept { return room_; }
  bool refuses() const noexcept { return room_ != ::ashlar::flow::any_number; }
  node_priority_t priority() const noexcept { return priority_; }
  void set_lightweight(bool l) noexcept {
    lightweight_ = l;
    calls_at_once_ = l && limit() == 0;
  }
  bool is_lightweight() const noexcept { return lightweight_; }

  // A serial node has its activation in itself, unless that would make it large.
  static constexpr bool has_own_work = sizeof(Input) <= 64;
  // To copy a message throws nothing and needs no call; a tuple of numbers can't be assigned, nor always moved, so.
  static constexpr bool is_simple =
      std::is_trivially_copy_constructible_v<Input> && std::is_trivially_destructible_v<Input>;
  struct no_work {
    no_work(input_state&, void*, job::entry) noexcept {}
  };
  work& own_work() noexcept { return reinterpret_cast<work&>(own_); }
  bool is_own(work const& a) const noexcept { return static_cast<void const*>(&a) == static_cast<void const*>(&own_); }
  ASHLAR_ALWAYS_INLINE void end_work(slot& here, work& a) noexcept {
    if (!is_own(a)) work::end(here, a);
  }
  // Without memory the job goes without priority.
  ASHLAR_ALWAYS_INLINE job* with_priority(slot& s, work& a) noexcept {
    return ASHLAR_LIKELY(priority_ == no_priority) ? &a : prioritize(s, a);
  }
  ASHLAR_NOINLINE job* prioritize(slot& s, work& a) noexcept {
    ASHLAR_TRY { return core_->prioritize(s, a, priority_); }
    ASHLAR_CATCH_ALL { return &a; }
    return &a;
  }

  graph_core* const core_;
  graph* const graph_;
  job::entry const run_;
  node_priority_t const priority_;
  bool const takes_batches_;
  bool lightweight_ = false;
  bool calls_at_once_ = false;  // lightweight, and no limit
  std::size_t const room_;
  predecessors<Input> predecessors_;
  // What senders write.
  places places_;
  ::ashlar::flow::message_queue<Input> queue_;
  unsigned char apart_[64];  // either side keeps its cache lines
  // What the body's thread writes.
  ::ashlar::flow::message_batch<Input> batch_;
  ::ashlar::flow::burst burst_;
  std::conditional_t<has_own_work, work, no_work> own_;
};

ASHLAR_FLOW_HOME_END
}  // namespace flow
}  // namespace tbb
