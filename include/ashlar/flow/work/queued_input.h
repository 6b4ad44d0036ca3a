// SPDX-License-Identifier: Apache-2.0
// The input of a node with a body whose messages need not be over when an activation ends: at most so many have left
// the queue, and the others wait there, first in, first out.
//
// Threads    any.
// Invariants QI1 running_ counts the messages that have left the queue and are not over; with a limit it is at most
//                that. Each of them keeps one count of the graph.
#pragma once

#include <ashlar/flow/edges/sender.h>
#include <ashlar/flow/engine/living_node.h>
#include <ashlar/flow/work/activation.h>
#include <ashlar/flow/work/message_queue.h>

ASHLAR_FLOW_PARTS

/// A node that derives from it has a type `work`, a message_job of the node.
template <typename Node, typename Input>
class queued_input : public living_node, public node_receiver<Input> {
 public:
  using graph_node::core;

  job* receive(Input& v, passage p) final {
    using work = typename Node::work;
    slot& s = sched::this_slot();
    if (ASHLAR_UNLIKELY(core().cancelled(s))) return nullptr;
    {
      guard const held(lock_);
      if (limit_ != 0 && running_ == limit_) {
        queue_.push(v, p);
        return accepted();
      }
      ++running_;
    }
    ASHLAR_TRY { return &work::make(s, static_cast<Node&>(*this), v, p); }
    ASHLAR_CATCH_ALL {
      if (job* const next = next_work(s)) core().start(s, *next);
      ASHLAR_RETHROW;
    }
    return nullptr;
  }
  bool may_pull() const noexcept final { return false; }

 protected:
  queued_input(graph& g, std::size_t limit) : living_node(g), limit_(limit) {}
  /// As the other one was constructed.
  queued_input(queued_input const& other) : living_node(other), limit_(other.limit_) {}
  ~queued_input() override = default;

  graph& graph_reference() const override { return this->my_graph; }
  void settle() override {
    guard const held(lock_);
    queue_.clear();
  }
  void describe_input(picture& to) {
    to.limit(limit_);
    to.input(static_cast<receiver<Input>*>(this), picture::input_kind::takes_all);
    lock::scoped_lock held;
    if (!to.look(held, lock_)) return;
    to.busy(running_);
    to.queued(queue_.size());
    if (!queue_.empty()) to.say("the messages wait because as many are under way as the node allows");
  }

  // A message is over. Gives its activation, which has lost it, and its place to the next one; false: there is none,
  // and the place is free. A message that can't be moved is lost, and the graph cancelled.
  template <typename Work>
  bool next_message(Work& a) noexcept {
    guard const held(lock_);
    while (!queue_.empty()) {
      wait_token* const t = queue_.front_token();
      bool taken = false;
      ASHLAR_TRY {
        a.take(queue_.front(), t);
        taken = true;
      }
      ASHLAR_CATCH_ALL { core().fail(); }
      queue_.pop();
      if (taken) return true;
      release_token(t);
    }
    --running_;
    return false;
  }
  // The same with an activation of its own; null: there is none. Without memory the graph is cancelled, and what waits
  // is dropped.
  ASHLAR_NOINLINE job* next_work(slot& s) noexcept {
    using work = typename Node::work;
    if (leave_if_idle()) return nullptr;
    ASHLAR_TRY {
      work& a = work::make(s, static_cast<Node&>(*this));
      if (next_message(a)) return &a;
      work::end(s, a);
      return nullptr;
    }
    ASHLAR_CATCH_ALL { core().fail(); }
    guard const held(lock_);
    queue_.clear();
    --running_;
    return nullptr;
  }

 private:
  // Nothing waits: the place is free.
  bool leave_if_idle() noexcept {
    guard const held(lock_);
    if (!queue_.empty()) return false;
    --running_;
    return true;
  }

  std::size_t const limit_;  // 0: any number
  lock lock_;
  std::size_t running_ = 0;
  message_queue<Input> queue_;
};

ASHLAR_FLOW_PARTS_END
