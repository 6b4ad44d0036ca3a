// SPDX-License-Identifier: Apache-2.0
// The input of a continue_node: counts messages, and fires when each predecessor has sent one.
//
// Threads    any.
// Invariants CI1 own_ is in a deque, or about to be, or about to run, while own_taken_ is set.
// Ordering   [FC1] the own job has begun to run: own_taken_ down, release -> [FC2] it is taken again: acquire
// Model      tests/model/flow_continue_model.cpp
#pragma once

#include <ashlar/flow/edges/round_receiver.h>
#include <ashlar/flow/work/activation.h>
#include <ashlar/flow/work/function_input.h>

ASHLAR_FLOW_PARTS

class continue_input : public round_receiver {
 protected:
  using work = activation<continue_input>;
  friend node_job<work, continue_input>;

 public:
  // What is rare has functions of its own, so that this one needs no stack.
  job* receive(continue_msg&, passage p) final {
    slot* const s = sched::current_slot;
    if (ASHLAR_UNLIKELY(s == nullptr || (s->attention_bits() & sched::attention_cancel) != 0 || p.token() != nullptr)) {
      return receive_specially(p);
    }
    return count_down(*s);
  }

  node_priority_t priority() const final { return priority_; }

 protected:
  // `run`: &run_node<the node>. `lightweight`: senders call the body.
  continue_input(graph& g, int predecessors, node_priority_t priority, bool lightweight, job::entry run) noexcept
      : round_receiver(g, predecessors),
        priority_(priority),
        special_(lightweight || priority != no_priority ? never_plain : 0),
        lightweight_(lightweight),
        own_{{run}, this} {}
  // As the other one was constructed.
  continue_input(continue_input const& o) noexcept
      : continue_input(o.its_graph(), o.initial_count(), o.priority_, o.lightweight_, o.own_.run) {}
  ~continue_input() override { release_token(token_); }

  // Calls the body and hands on what it makes.
  virtual job* call(wait_token* t) = 0;
  virtual node_base const& its_node() const noexcept = 0;
  // What an activation of the node does, in one function with Node::run_body.
  template <typename Node>
  static job* run_node(job* self, slot& here) noexcept {
    continue_input& in = *static_cast<own_job*>(self)->node;
    if (ASHLAR_UNLIKELY(in.core().enter(here))) return run_specially(in, nullptr, here);
    in.own_taken_.store(false, mo::release);  // [FC1]
    job* const answer = in.template run_caught<Node>();
    return pass_on(in.core(), here, answer);  // the graph is asked for here: no register holds it while the body runs
  }

  // The round begins again.
  void reset_input(reset_flags f) noexcept {
    reset_rounds(f);
    forget_round();
  }
  // Nobody waits for the messages of this round.
  void forget_round() noexcept { release_token(take_token()); }

 private:
#if ASHLAR_CLASSIC_DIALECT
  graph_task* execute() final { return task_of(fire_specially(sched::this_slot(), nullptr)); }
#endif
  // The node's own job, unless it is under way: the node was triggered again.
  ASHLAR_ALWAYS_INLINE job* fire_plainly(slot& s) {
    if (ASHLAR_LIKELY(!own_taken_.exchange(true, mo::acquire))) return &own_;  // [FC2]
    return make_work(s);
  }
  ASHLAR_ALWAYS_INLINE bool is_special() const noexcept { return special_.load(mo::relaxed) != 0; }
  // The answers go ways of their own, on which nothing has to be looked at twice.
  ASHLAR_ALWAYS_INLINE job* count_down(slot& s) {
    switch (arrive()) {
      case turn::counted:
        return accepted();
      case turn::last:
        return ASHLAR_UNLIKELY(is_special()) ? fire_specially(s, nullptr) : fire_plainly(s);
      case turn::alone:
        break;
    }
    return ASHLAR_UNLIKELY(is_special()) ? receive_alone(s) : fire_plainly(s);
  }
  // One message or none is expected, or somebody waits for a message of the round.
  ASHLAR_NOINLINE job* receive_alone(slot& s) {
    wait_token* t = nullptr;
    if ((special_.load(mo::relaxed) & held_once) != 0) {
      guard const held(lock_);
      if (!arrive_exactly()) return accepted();
      t = std::exchange(token_, nullptr);
    }
    return fire_specially(s, t);
  }
  // The round is held until it is complete: none that is complete without this message gets its token.
  ASHLAR_NOINLINE job* receive_waited_for(slot& s, wait_token& its) {
    wait_token* t = nullptr;
    if (awaited() > 1) {
      guard const held(lock_);
      // A graph that is cancelled has forgotten the round, or does so after this.
      if (ASHLAR_LIKELY(!core().ends_waits())) wait_token::add(token_, &its);
      special_.store(special_.load(mo::relaxed) | held_once, mo::relaxed);
      hold_round();
      if (!arrive_exactly()) return accepted();
      t = std::exchange(token_, nullptr);
    } else {
      its.retain();
      t = &its;
    }
    return fire_specially(s, t);
  }
  ASHLAR_NOINLINE job* receive_specially(passage p) {
    slot& s = sched::this_slot();
    if (core().cancelled(s)) return nullptr;
    return p.token() != nullptr ? receive_waited_for(s, *p.token()) : count_down(s);
  }
  ASHLAR_NOINLINE job* make_work(slot& s) { return &work::make(s, *this, &run_pooled); }
  // Takes over the use of t.
  ASHLAR_NOINLINE job* fire_specially(slot& s, wait_token* t) {
    if (lightweight_ && call_scope::has_room()) return fire_now(s, t);
    if (t == nullptr && priority_ == no_priority && !lightweight_) return fire_plainly(s);
    ASHLAR_TRY {
      work& a = work::make(s, *this, &run_pooled);
      a.token = t;
      return priority_ == no_priority ? &a : core().prioritize(s, a, priority_);
    }
    ASHLAR_CATCH_ALL {
      // The round is over without a run of the body.
      release_token(t);
      ASHLAR_RETHROW;
    }
    return nullptr;
  }
  ASHLAR_NOINLINE job* fire_now(slot& s, wait_token* t) {
    body_scope const scope(s, core().group());
    job* const answer = call_caught(t);
    release_token(t);
    return answer != nullptr ? answer : accepted();
  }
  ASHLAR_ALWAYS_INLINE job* call_caught(wait_token* t) noexcept {
    ASHLAR_TRY { return call(t); }
    ASHLAR_CATCH_ALL { fail(); }
    return nullptr;
  }
  // Of activations that are not the node's own.
  static job* run_pooled(job* self, slot& here) noexcept {
    auto& a = *static_cast<work*>(self);
    here.enter(a.node->core().group());
    return run_specially(*a.node, &a, here);
  }
  // run_node() in all cases. `pooled`: null: it is the own job.
  ASHLAR_NOINLINE static job* run_specially(continue_input& in, work* pooled, slot& here) noexcept {
    graph_core& g = in.core();
    if (g.has_urgent() && in.priority_ == no_priority) {
      job& this_one = pooled != nullptr ? static_cast<job&>(*pooled) : in.own_;
      if (job* const first = g.let_urgent_first(here, this_one)) return first;
    }
    wait_token* t = nullptr;
    if (pooled != nullptr) {
      t = pooled->token;
      work::end(here, *pooled);
    } else {
      in.own_taken_.store(false, mo::release);  // [FC1]
    }
    job* const answer = g.cancelled(here) ? nullptr : in.call_caught(t);
    own_wait const wait(t, here);
    release_token(t);
    return pass_on(g, here, answer, wait);
  }
  template <typename Node>
  ASHLAR_ALWAYS_INLINE job* run_caught() noexcept {
    ASHLAR_TRY { return static_cast<Node*>(this)->Node::template run_body<false>(nullptr); }
    ASHLAR_CATCH_ALL { fail(); }
    return nullptr;
  }
  ASHLAR_NOINLINE ASHLAR_COLD void fail() noexcept { core().fail_in(its_node()); }
  ASHLAR_NOINLINE wait_token* take_token() noexcept {
    guard const held(lock_);
    return std::exchange(token_, nullptr);
  }

  // It carries no token.
  struct own_job : job {
    continue_input* node;
  };

  node_priority_t const priority_;
  // Why it may not fire with its own job at once: it is lightweight or has a priority, or a round was held. The latter
  // stays: who has found the round held may look here when the round is over.
  static constexpr unsigned char never_plain = 1, held_once = 2;
  atomic<unsigned char> special_;
  bool const lightweight_;
  lock lock_;
  atomic<bool> own_taken_{false};
  wait_token* token_ = nullptr;  // of the messages of this round, which is held
  own_job own_;
};

ASHLAR_FLOW_PARTS_END
