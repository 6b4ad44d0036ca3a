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
#include <ashlar/flow/work/message_queue.h>
#include <ashlar/flow/work/places.h>
#include <ashlar/flow/work/policy_traits.h>

ASHLAR_FLOW_PARTS

/// The base of the others: what they share.
template <typename Input>
class input_state : public pulling_receiver<Input> {
 protected:
  using work = message_activation<input_state, Input>;
  using hold = places::hold;

  // `run`: what an activation of the node does. `room`: for messages that wait. `lightweight`: senders call the body.
  input_state(graph& g, std::size_t limit, std::size_t room, node_priority_t priority, job::entry run,
              bool lightweight) noexcept
      : its_core_(&g.core()),
        graph_(&g),
        run_(run),
        priority_(priority),
        takes_batches_(limit == 1 && room == any_number),
        lightweight_(lightweight),
        calls_at_once_(lightweight && limit == 0),
        room_(room),
        places_(static_cast<std::uint32_t>(limit > places::most ? std::size_t{0} : limit)),
        own_(*this, nullptr, run) {}
  // As the other one was constructed.
  input_state(input_state const& o) noexcept
      : input_state(*o.graph_, o.limit(), o.room_, o.priority_, o.run_, o.lightweight_) {}
  ~input_state() override = default;

  graph& graph_reference() const override { return *graph_; }
  node_priority_t priority() const final { return priority_; }
  std::size_t limit() const noexcept { return places_.limit; }
  bool refuses() const noexcept { return room_ != any_number; }

  // A serial node has its activation in itself, unless that would make it large.
  static constexpr bool has_own_work = sizeof(Input) <= 64;
  // To copy a message throws nothing and needs no call; a tuple of numbers can't be assigned, nor always moved, so.
  static constexpr bool is_simple =
      std::is_trivially_copy_constructible_v<Input> && std::is_trivially_destructible_v<Input>;
  struct no_work {
    no_work(input_state&, void*, job::entry) noexcept {}
  };
  // Without one of its own nothing asks for it.
  work& own_work() noexcept {
    if constexpr (has_own_work) {
      return own_;
    } else {
      __builtin_unreachable();
    }
  }
  // A serial node has no others.
  bool uses_own() const noexcept { return has_own_work && places_.limit == 1; }
  ASHLAR_ALWAYS_INLINE void end_work(slot& here, work& a) noexcept {
    if (!uses_own()) work::end(here, a);
  }
  ASHLAR_ALWAYS_INLINE job* with_priority(slot& s, work& a) noexcept {
    return ASHLAR_LIKELY(priority_ == no_priority) ? &a : its_core_->prioritize(s, a, priority_);
  }

  graph_core* const its_core_;
  graph* const graph_;
  job::entry const run_;
  node_priority_t const priority_;
  bool const takes_batches_;
  bool const lightweight_;
  bool const calls_at_once_;  // lightweight, and no limit
  std::size_t const room_;
  // What senders write.
  places places_;
  message_queue<Input> queue_;
  unsigned char apart_[64];  // either side keeps its cache lines
  // What the body's thread writes. It has taken the batch out of the queue all at once: senders and the thread that
  // receives meet once for a batch, and not for each message.
  message_queue<Input> batch_;
  burst burst_;
  std::conditional_t<has_own_work, work, no_work> own_;
};

ASHLAR_FLOW_PARTS_END
