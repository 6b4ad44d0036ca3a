// SPDX-License-Identifier: Apache-2.0
// The input of a node with a body: calls the body, and goes on with what the message has caused and with the next one.
// How many bodies run at once, and what becomes of messages beyond that, its bases know, one concept each: what it
// consists of (input_state.h), which message is next (input_messages.h), what becomes of one that comes
// (input_arrivals.h).
//
// Threads    any.
#pragma once

#include <ashlar/flow/engine/body.h>
#include <ashlar/flow/work/input_arrivals.h>

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// What a node with a body derives from; the node has run_body<Observed>(message, passage).
template <typename Input>
class function_input : public input_arrivals<Input> {
  using base = input_arrivals<Input>;

 protected:
  using typename base::graph_core;
  using typename base::hold;
  using typename base::job;
  using typename base::passage;
  using typename base::slot;
  using typename base::work;
  // The last argument: &run_node<the node>.
  using base::base;
  using base::batch_;
  using base::burst_;
  using base::calls_at_once_;
  using base::core_;
  using base::end_work;
  using base::has_own_work;
  using base::is_simple;
  using base::leave;
  using base::lightweight_;
  using base::limit;
  using base::next_message;
  using base::places_;
  using base::predecessors_;
  using base::priority_;
  using base::refuses;
  using base::start_own;
  using base::start_slowly;
  using base::take_kept;
  using base::take_oldest;
  using base::take_pooled;
  using base::takes_batches_;
  using base::with_priority;

  static constexpr bool names_itself = false;  // true in a node that calls its bodies in the scope of a running_body
  // What takes a thread off the fast path.
  static constexpr std::uint32_t disturbing = ::ashlar::sched::attention_cancel | ::ashlar::sched::attention_observe;
  // receive() of a node: takes the message as an activation or, where `Lightweight` allows it, calls Node::run_body.
  template <typename Node, bool Lightweight>
  ASHLAR_ALWAYS_INLINE job* take(Input& v, passage p) {
    slot* const s = ::ashlar::sched::current_slot;
    if (ASHLAR_UNLIKELY(s == nullptr || (s->attention_bits() & disturbing) != 0)) return take_specially<Node>(v, p);
    if constexpr (Lightweight) {
      char here;
      if (ASHLAR_LIKELY(calls_at_once_ && ::ashlar::flow::entry_scope::is_near(here) &&
                        &s->group() == &core_->group())) {
        return call_caught<Node, false>(v, p);
      }
      return take_specially<Node>(v, p);
    } else {
      std::uint32_t const most = places_.limit();
      if (most == 0) return take_pooled(*s, v, p);
      if (most != 1 || !has_own_work || !is_simple) return this->template take_limited<Node::names_itself>(v, p);
      return ASHLAR_LIKELY(places_.enter()) ? start_own(*s, v, p) : this->template take_busy<Node::names_itself>(v, p);
    }
  }
  // What an activation of the node does.
  template <typename Node>
  static job* run_node(job* self, slot& here) noexcept {
    auto& a = *static_cast<work*>(self);
    auto& in = static_cast<function_input&>(*a.node);
    graph_core& g = *in.core_;
    here.enter(g.group());
    if (ASHLAR_UNLIKELY((here.attention_bits() & disturbing) != 0 || g.has_urgent())) {
      return run_specially<Node>(a, here);
    }
    return in.template end_body<Node::names_itself>(a, here, in.template run_caught<Node, false>(a));
  }
  void describe_input(::ashlar::flow::picture& to) {
    using kind = ::ashlar::flow::picture::input_kind;
    to.limit(limit());
    to.input(static_cast<receiver<Input>*>(this), refuses() ? kind::refuses : kind::takes_all);
    predecessors_.describe(to);
    if (limit() == 0) return;
    to.busy(places_.taken());
    std::size_t const waiting = places_.waiting() + batch_.size();
    to.queued(waiting);
    if (waiting != 0) to.say("the messages wait because as many bodies run as the node allows");
  }

 private:
  // take() in all cases.
  template <typename Node>
  ASHLAR_NOINLINE job* take_specially(Input& v, passage p) {
    slot& s = ::ashlar::sched::this_slot();
    if (core_->cancelled(s)) return nullptr;
    if (limit() != 0 && !places_.enter()) return this->template take_busy<Node::names_itself>(v, p);
    char at;
    if (!lightweight_ || ::ashlar::flow::entry_scope::is_deep(at) || !::ashlar::flow::call_scope::has_room()) {
      return start_slowly(s, v, p);
    }
    job* answer;
    {
      ::ashlar::flow::entry_scope const entry(at);
      ::ashlar::flow::body_scope const scope(s, core_->group());
      answer = call_caught<Node, true>(v, p);
    }
    if (limit() == 0) return answer;
    return ::ashlar::flow::keep_last(*core_, leave(s), answer);
  }
  // Calls the body in the sender's task. accepted() in place of null.
  template <typename Node, bool Observed>
  ASHLAR_ALWAYS_INLINE job* call_caught(Input& v, passage p) noexcept {
    ASHLAR_TRY {
      job* const answer = static_cast<Node*>(this)->Node::template run_body<Observed>(v, p.as_moved());
      return answer != nullptr ? answer : ::ashlar::flow::accepted();
    }
    ASHLAR_CATCH_ALL { core_->fail_in(*static_cast<Node*>(this)); }
    return ::ashlar::flow::accepted();
  }
  // The same for an activation. Null or a job.
  template <typename Node, bool Observed>
  ASHLAR_ALWAYS_INLINE job* run_caught(work& a) noexcept {
    ASHLAR_TRY {
      return ::ashlar::flow::job_or_null(
          static_cast<Node*>(this)->Node::template run_body<Observed>(a.value(), passage::moved(a.token)));
    }
    ASHLAR_CATCH_ALL { core_->fail_in(*static_cast<Node*>(this)); }
    return nullptr;
  }
  // Its message was handed on, and caused `next`.
  template <bool NamesItself>
  ASHLAR_ALWAYS_INLINE job* end_body(work& a, slot& here, job* next) noexcept {
    a.drop(here);
    graph_core& g = *core_;
    if (places_.limit() == 0) {
      work::end(here, a);
      return ::ashlar::flow::pass_on(g, here, next);
    }
    if constexpr (NamesItself && is_simple) {
      if (batch_.size() == 1 && next == nullptr && priority_ == no_priority) {
        take_kept(a);
        return ::ashlar::flow::pass_on(g, here, a);
      }
    }
    if (!batch_.empty() || !places_.leave()) return go_on(here, a, next);
    end_work(here, a);
    return ::ashlar::flow::pass_on(g, here, next);
  }
  // run_node() in all cases.
  template <typename Node>
  ASHLAR_NOINLINE static job* run_specially(work& a, slot& here) noexcept {
    auto& in = static_cast<function_input&>(*a.node);
    graph_core& g = *in.core_;
    if (g.has_urgent() && in.priority_ == no_priority) {
      if (job* const first = g.let_urgent_first(here, a)) return first;
    }
    return in.template end_body<false>(a, here, g.cancelled(here) ? nullptr : in.template run_caught<Node, true>(a));
  }
  // The activation has lost its message; another one may take its place.
  ASHLAR_NOINLINE job* go_on(slot& here, work& a, job* next) noexcept {
    graph_core& g = *core_;
    if (!take_oldest(a) && !next_message(here, a)) {
      end_work(here, a);
      return ::ashlar::flow::pass_on(g, here, next);
    }
    job* const more = with_priority(here, a);
    if (next == nullptr && batch_.empty()) return ::ashlar::flow::pass_on(g, here, *more);
    // Depth first: what the message has caused goes before the next message, or before the next burst.
    if (takes_batches_ && burst_.goes_on()) {
      if (next != nullptr) g.start(here, *next);
      return ::ashlar::flow::pass_on(g, here, *more);
    }
    if (next == nullptr) return ::ashlar::flow::pass_on_after_newest(g, here, *more);
    g.start(here, *more);
    return ::ashlar::flow::pass_on(g, here, *next);
  }
};

ASHLAR_FLOW_HOME_END
}  // namespace flow
}  // namespace tbb
