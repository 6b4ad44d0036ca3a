// SPDX-License-Identifier: Apache-2.0
// The input of a node with a body: calls the body, and goes on with what the message has caused and with the next one.
// How many bodies run at once, and what becomes of messages beyond that, its bases know, one concept each: what it
// consists of (input_state.h), which message is next (input_messages.h), what becomes of one that finds no place at
// once (input_arrivals.h).
//
// Threads    any.
#pragma once

#include <ashlar/flow/engine/body.h>
#include <ashlar/flow/engine/living_node.h>
#include <ashlar/flow/work/input_arrivals.h>

ASHLAR_FLOW_PARTS

/// What a node with a body derives from. The node has run_body<Observed>(message, passage), which calls the body.
/// `Adapter` says how, `Signature` with what.
template <typename Node, typename Input, typename Policy, typename Adapter, typename Signature>
class function_input : public input_arrivals<Input>, public living_node, public bodied<Signature> {
  using base = input_arrivals<Input>;
  using traits = policy_traits<Policy>;

 public:
  // The answers are given where they are found, and what is rare has functions of its own: this one needs no registers.
  job* receive(Input& v, passage p) final {
    slot* const s = sched::current_slot;
    if (ASHLAR_UNLIKELY(s == nullptr || (s->attention_bits() & disturbing) != 0)) return receive_specially(v, p);
    if constexpr (traits::lightweight) {
      char here;
      if (ASHLAR_LIKELY(this->calls_at_once_ && entry_scope::is_near(here) &&
                        &s->group() == &this->its_core_->group())) {
        return call_caught<false>(v, p);
      }
      return receive_specially(v, p);
    } else {
      std::uint32_t const most = this->places_.limit;
      if (most == 0) return this->take_pooled(*s, v, p);
      if constexpr (base::has_own_work && base::is_simple) {
        if (ASHLAR_LIKELY(most == 1)) {
          if (ASHLAR_UNLIKELY(!this->places_.enter())) return this->take_later(v, p);
          if (ASHLAR_UNLIKELY(p.token() != nullptr || this->priority_ != no_priority)) {
            return this->start_waited_for(*s, v, p);
          }
          this->own_.put_alone(v);
          return &this->own_;
        }
      }
      return this->take_limited(v, p);
    }
  }

 protected:
  using typename base::work;

  // Throws what copying the body throws, and std::bad_alloc.
  template <typename Body>
  function_input(graph& g, std::size_t limit, Body const& body, Policy const& policy, node_priority_t priority)
      : base(g, limit, traits::template room<Input>(policy), priority, &run_node,
             traits::lightweight && may_be_lightweight<Adapter, Body, ASHLAR_CLASSIC_DIALECT>),
        living_node(g),
        bodied<Signature>(Adapter(), body) {}
  // What the other one was constructed with, and none of its messages and edges.
  function_input(function_input const&) = default;
  ~function_input() override = default;

  void settle() override { this->settle_input(); }
  void describe_input(picture& to) {
    using kind = picture::input_kind;
    to.limit(this->limit());
    to.input(static_cast<receiver<Input>*>(this), this->refuses() ? kind::refuses : kind::takes_all);
    this->predecessors_.describe(to);
    if (this->limit() == 0) return;
    to.busy(this->places_.taken());
    std::size_t const waiting = this->places_.waiting() + this->batch_.size();
    to.queued(waiting);
    if (waiting != 0) to.say("the messages wait because as many bodies run as the node allows");
  }

 private:
  // receive() in all cases.
  ASHLAR_NOINLINE job* receive_specially(Input& v, passage p) {
    slot& s = sched::this_slot();
    if (this->its_core_->cancelled(s)) return nullptr;
    if (this->limit() != 0 && !this->places_.enter()) return this->take_later(v, p);
    char at;
    if (!this->lightweight_ || entry_scope::is_deep(at) || !call_scope::has_room()) return this->start_slowly(s, v, p);
    job* answer;
    {
      entry_scope const entry(at);
      body_scope const scope(s, this->its_core_->group());
      answer = call_caught<true>(v, p);
    }
    if (this->limit() == 0) return answer;
    return keep_last(*this->its_core_, this->leave(s), answer);
  }
  // Calls the body in the sender's task. accepted() in place of null.
  template <bool Observed>
  ASHLAR_ALWAYS_INLINE job* call_caught(Input& v, passage p) noexcept {
    ASHLAR_TRY {
      job* const answer = static_cast<Node*>(this)->Node::template run_body<Observed>(v, p.as_moved());
      return answer != nullptr ? answer : accepted();
    }
    ASHLAR_CATCH_ALL { this->its_core_->fail_in(*static_cast<Node*>(this)); }
    return accepted();
  }
  // The same for an activation; null stays.
  template <bool Observed>
  ASHLAR_ALWAYS_INLINE job* run_caught(work& a) noexcept {
    ASHLAR_TRY {
      return static_cast<Node*>(this)->Node::template run_body<Observed>(a.message, passage::moved(a.token));
    }
    ASHLAR_CATCH_ALL { this->its_core_->fail_in(*static_cast<Node*>(this)); }
    return nullptr;
  }
  // What an activation of the node does.
  static job* run_node(job* self, slot& here) noexcept {
    auto& a = *static_cast<work*>(self);
    auto& in = static_cast<function_input&>(*a.node);
    if (ASHLAR_UNLIKELY(in.its_core_->enter(here))) return run_specially(a, here);
    return in.end_body(a, here, in.template run_caught<false>(a));
  }
  // The same in all cases.
  ASHLAR_NOINLINE static job* run_specially(work& a, slot& here) noexcept {
    auto& in = static_cast<function_input&>(*a.node);
    graph_core& g = *in.its_core_;
    if (g.has_urgent() && in.priority_ == no_priority) {
      if (job* const first = g.let_urgent_first(here, a)) return first;
    }
    return in.end_body(a, here, g.cancelled(here) ? nullptr : in.template run_caught<true>(a));
  }
  // Its message was handed on, and receivers have answered so.
  ASHLAR_ALWAYS_INLINE job* end_body(work& a, slot& here, job* answer) noexcept {
    if (ASHLAR_UNLIKELY(a.token != nullptr)) return end_waited_for(a, here, answer);
    if (!base::is_simple) a.drop(here);
    if (this->places_.limit == 0) {
      work::end(here, a);
      return pass_on(*this->its_core_, here, answer);
    }
    graph_core& g = *this->its_core_;
    if (!this->batch_.empty() || !this->places_.leave()) return go_on(here, a, answer);
    if (!base::has_own_work || this->places_.limit != 1) work::end(here, a);
    return pass_on(g, here, answer);
  }
  // The same for a message with a token.
  ASHLAR_NOINLINE job* end_waited_for(work& a, slot& here, job* answer) noexcept {
    graph_core& g = *this->its_core_;
    own_wait const wait(a.token, here);
    a.drop(here);
    if (this->places_.limit == 0) {
      work::end(here, a);
    } else if (!this->batch_.empty() || !this->places_.leave()) {
      if (!wait.over()) return go_on(here, a, answer);
      if (this->take_oldest(a) || this->next_message(here, a)) {
        g.start(here, *this->with_priority(here, a));
      } else {
        this->end_work(here, a);
      }
    } else if (!base::has_own_work || this->places_.limit != 1) {
      work::end(here, a);
    }
    return pass_on(g, here, answer, wait);
  }
  // The activation has lost its message; another one may take its place.
  ASHLAR_NOINLINE job* go_on(slot& here, work& a, job* answer) noexcept {
    graph_core& g = *this->its_core_;
    job* const next = job_or_null(answer);
    if (!this->take_oldest(a) && !this->next_message(here, a)) {
      this->end_work(here, a);
      return pass_on(g, here, next);
    }
    job* const more = this->with_priority(here, a);
    if (next == nullptr && this->batch_.empty()) return pass_on(g, here, *more);
    // Depth first: what the message has caused goes before the next message, or before the next burst.
    if (this->takes_batches_ && this->burst_.goes_on()) {
      if (next != nullptr) g.start(here, *next);
      return pass_on(g, here, *more);
    }
    if (next == nullptr) return pass_on_after_newest(g, here, *more);
    g.start(here, *more);
    return pass_on(g, here, *next);
  }
};

ASHLAR_FLOW_PARTS_END
