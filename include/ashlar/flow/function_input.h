// SPDX-License-Identifier: Apache-2.0
// The input of a node with a body: how many bodies run at once, and what becomes of the messages beyond that.
//
// Threads    any.
// Invariants FI1 each activation of a limited node, each body that runs in a sender's task, and each message that is
//                being pulled holds a place.
//            FI2 queue_ is touched only while places_ is locked.
//            FI3 own_, batch_ and burst_ belong to whoever holds the only place of a serial node.
//            FI4 a message of batch_ was put before all that wait in queue_.
#pragma once

#include <ashlar/flow/activation.h>
#include <ashlar/flow/body.h>
#include <ashlar/flow/burst.h>
#include <ashlar/flow/message_batch.h>
#include <ashlar/flow/message_queue.h>
#include <ashlar/flow/places.h>
#include <ashlar/flow/policy_traits.h>
#include <ashlar/flow/running_body.h>

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

template <typename Input>
class function_input : public node_receiver<Input> {
 protected:
  using job = ::ashlar::sched::job;
  using slot = ::ashlar::sched::slot;
  using passage = ::ashlar::flow::passage;
  using wait_token = ::ashlar::flow::wait_token;
  using graph_core = ::ashlar::flow::graph_core;
  using work = ::ashlar::flow::message_activation<function_input, Input>;
  using places = ::ashlar::flow::places;
  using hold = places::hold;
  friend work;

 public:
  using predecessor_type = sender<Input>;

  bool may_pull() const noexcept final { return refuses(); }
  bool register_predecessor(predecessor_type& from) override {
    if (!note_predecessor(from)) return false;
    ask_predecessors();
    return true;
  }
  bool notes_predecessors() const noexcept final { return true; }
  bool note_predecessor(predecessor_type& from) final {
    if (!refuses() || !std::is_default_constructible_v<Input>) return false;
    if (core_->cancelled(::ashlar::sched::this_slot())) return false;
    predecessors_.add(from);
    return true;
  }
  void ask_predecessors() final {
    {
      hold held(places_);
      held.set_may_pull(true);
      if (!held.has_room()) return;
      held.take();
    }
    leave_and_start(::ashlar::sched::this_slot());
  }
  bool remove_predecessor(predecessor_type& from) override { return predecessors_.remove(from); }

 protected:
  // `run`: &run_node<the node>. `room`: for messages that wait.
  function_input(graph& g, std::size_t limit, std::size_t room, node_priority_t priority, job::entry run) noexcept
      : core_(&g.core()),
        graph_(&g),
        run_(run),
        priority_(priority),
        takes_batches_(limit == 1 && room == ::ashlar::flow::any_number),
        room_(room),
        places_(static_cast<std::uint32_t>(limit > places::most ? std::size_t{0} : limit)),
        own_(*this, nullptr, run) {}
  ~function_input() override = default;

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
      std::uint32_t const most = limit();
      if (most == 0) return take_pooled(*s, v, p);
      if (most != 1 || !has_own_work || !is_simple) return take_limited<Node::names_itself>(v, p);
      return ASHLAR_LIKELY(places_.enter()) ? start_own(*s, v, p) : take_busy<Node::names_itself>(v, p);
    }
  }
  // What an activation of the node does.
  template <typename Node>
  static job* run_node(job* self, slot& here) noexcept {
    auto& a = *static_cast<work*>(self);
    function_input& in = *a.node;
    graph_core& g = *in.core_;
    here.enter(g.group());
    if (ASHLAR_UNLIKELY((here.attention_bits() & disturbing) != 0 || g.has_urgent())) {
      return run_specially<Node>(a, here);
    }
    return in.template end_body<Node::names_itself>(a, here, in.template run_caught<Node, false>(a));
  }
  graph& graph_reference() const override { return *graph_; }
  graph_core& core() const noexcept { return *core_; }
  void set_lightweight(bool l) noexcept {
    lightweight_ = l;
    calls_at_once_ = l && limit() == 0;
  }
  bool is_lightweight() const noexcept { return lightweight_; }
  std::size_t limit() const noexcept { return places_.limit(); }
  node_priority_t priority() const noexcept { return priority_; }
  std::size_t room() const noexcept { return room_; }

  void reset_input(reset_flags f) {
    {
      hold held(places_);
      queue_.clear();
      batch_.clear();
      held.clear();
    }
    if ((f & rf_clear_edges) != 0) predecessors_.clear();
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
  // Predecessors push again: pulling would need a message that ends. A batch has an owner, which drops it: somebody who
  // put before the cancellation may only now begin, and take all that waits.
  void settle_input() {
    {
      hold held(places_);
      queue_.clear();
      held.forget_waiting();
      held.set_may_pull(!predecessors_.empty());  // from one that does not take its edge back
    }
    predecessors_.give_back_all(*this);
  }

 private:
  // A serial node has its activation in itself, unless that would make it large.
  static constexpr bool has_own_work = sizeof(Input) <= 64;
  // To copy a message throws nothing and needs no call; a tuple of numbers can't be assigned or, with some compilers'
  // libraries, moved so.
  static constexpr bool is_simple =
      std::is_trivially_copy_constructible_v<Input> && std::is_trivially_destructible_v<Input>;
  struct no_work {
    no_work(function_input&, void*, job::entry) noexcept {}
  };
  bool refuses() const noexcept { return room_ != ::ashlar::flow::any_number; }
  work& own_work() noexcept { return reinterpret_cast<work&>(own_); }
  bool is_own(work const& a) const noexcept { return static_cast<void const*>(&a) == static_cast<void const*>(&own_); }

  // Without memory the job goes without priority.
  ASHLAR_ALWAYS_INLINE job* with_priority(slot& s, work& a) noexcept {
    return ASHLAR_LIKELY(priority_ == no_priority) ? &a : prioritize(s, a);
  }
  ASHLAR_NOINLINE job* prioritize(slot& s, work& a) noexcept {
    ASHLAR_TRY { return core_->prioritize(s, a, priority_); }
    ASHLAR_CATCH_ALL { return &a; }
    return &a;
  }

  // The caller has the only place. What is rare is called last, so that receive() needs no registers for it.
  ASHLAR_ALWAYS_INLINE job* start_own(slot& s, Input& v, passage p) {
    if constexpr (has_own_work && is_simple) {
      if (ASHLAR_UNLIKELY(p.token() != nullptr || priority_ != no_priority)) return start_waited_for(s, v, p);
      own_.put_alone(v);
      return &own_;
    } else {
      return nullptr;
    }
  }
  ASHLAR_NOINLINE job* start_waited_for(slot& s, Input& v, passage p) {
    if constexpr (has_own_work && is_simple) {
      if (ASHLAR_LIKELY(priority_ == no_priority)) {
        own_.put_waited_for(v, *p.token(), s);
        return &own_;
      }
    }
    return start_slowly(s, v, p);
  }
  // There is a place for the message, if places are limited.
  ASHLAR_NOINLINE job* start_slowly(slot& s, Input& v, passage p) {
    ASHLAR_TRY {
      if constexpr (has_own_work) {
        if (limit() == 1) {
          own_.put(v, p);
          return with_priority(s, own_);
        }
      }
      return with_priority(s, work::make(s, *this, v, p, run_));
    }
    ASHLAR_CATCH_ALL {
      leave_and_start(s);
      ASHLAR_RETHROW;
    }
    return nullptr;
  }
  // Unlimited. The rare case has a function of its own, so that this one saves no registers for it.
  ASHLAR_NOINLINE job* take_pooled(slot& s, Input& v, passage p) {
    if constexpr (is_simple) {
      work* const a = work::make_at_hand(s, *this, run_);
      if (ASHLAR_UNLIKELY(a == nullptr || p.token() != nullptr || priority_ != no_priority)) return take_new(a, v, p);
      a->put_alone(v);
      return a;
    } else {
      return with_priority(s, work::make(s, *this, v, p, run_));
    }
  }
  ASHLAR_NOINLINE job* take_new(work* a, Input& v, passage p) {
    slot& s = *::ashlar::sched::current_slot;
    if (a == nullptr) a = &work::make(s, *this, run_);
    a->put(v, p);
    return with_priority(s, *a);
  }
  // There was no place. `NamesItself`: as the node does.
  template <bool NamesItself>
  ASHLAR_ALWAYS_INLINE job* take_busy(Input& v, passage p) {
    return NamesItself ? take_in_body(v, p) : take_later(v, p);
  }
  // What a serial node's own body puts is older than all that comes later: if nothing waits in the queue, it goes
  // behind what the thread has in hand, without a lock.
  ASHLAR_NOINLINE job* take_in_body(Input& v, passage p) {
    bool const next = ::ashlar::flow::running_body::is_of(this) && takes_batches_ && places_.has_none_waiting();
    if (!next) return take_later(v, p);
    batch_.push(v, p);
    return ::ashlar::flow::accepted();
  }
  ASHLAR_NOINLINE job* take_later(Input& v, passage p) {
    {
      hold held(places_);
      if (!held.has_room()) {
        if (held.waiting() >= room_) return nullptr;
        queue_.push(v, p);
        held.add_waiting();
        return ::ashlar::flow::accepted();
      }
      held.take();
    }
    return start_slowly(::ashlar::sched::this_slot(), v, p);
  }
  template <bool NamesItself>
  ASHLAR_NOINLINE job* take_limited(Input& v, passage p) {
    return places_.enter() ? start_slowly(*::ashlar::sched::current_slot, v, p) : take_busy<NamesItself>(v, p);
  }
  // take() in all cases.
  template <typename Node>
  ASHLAR_NOINLINE job* take_specially(Input& v, passage p) {
    slot& s = ::ashlar::sched::this_slot();
    if (core_->cancelled(s)) return nullptr;
    if (limit() != 0 && !places_.enter()) return take_busy<Node::names_itself>(v, p);
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
  ASHLAR_ALWAYS_INLINE void end_work(slot& here, work& a) noexcept {
    if (!is_own(a)) work::end(here, a);
  }
  // run_node() in all cases.
  template <typename Node>
  ASHLAR_NOINLINE static job* run_specially(work& a, slot& here) noexcept {
    function_input& in = *a.node;
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
  // False: the rest is next_message()'s.
  ASHLAR_ALWAYS_INLINE bool take_oldest(work& a) noexcept {
    if constexpr (is_simple) {
      if (!batch_.empty()) return take_kept(a), true;
      hold held(places_);
      if (ASHLAR_UNLIKELY(!held.has_waiting() || held.may_pull() || has_batch_ready(held))) return false;
      a.take(queue_.front(), queue_.front_token());
      queue_.pop();
      held.remove_waiting();
      return true;
    }
    return false;
  }
  // Of simple messages in the batch the oldest.
  ASHLAR_ALWAYS_INLINE void take_kept(work& a) noexcept {
    a.take(batch_.front(), batch_.front_token());
    batch_.pop();
  }
  bool has_batch_ready(hold const& held) const noexcept { return takes_batches_ && held.has_several_waiting(); }
  // Gives the activation the next message; false: there is none, and its place is free.
  ASHLAR_NOINLINE bool next_message(slot& here, work& a) noexcept {
    for (;;) {
      while (!batch_.empty()) {
        if (take_front(batch_, a)) return true;
      }
      {
        hold held(places_);
        if (has_batch_ready(held)) {
          batch_.fill(queue_);
          held.forget_waiting();
          continue;
        }
        if (take_queued(held, a)) {
          if (ASHLAR_LIKELY(!held.may_pull())) return true;
          break;
        }
        if (ASHLAR_UNLIKELY(held.may_pull())) held.set_may_pull(!predecessors_.empty() && !core_->cancelled(here));
        if (ASHLAR_LIKELY(!held.may_pull())) {
          held.give_back();
          return false;
        }
      }
      if (pull(a)) return true;
    }
    refill();
    return true;
  }
  // In the place of a message that has left the queue.
  ASHLAR_NOINLINE void refill() noexcept {
    if constexpr (std::is_default_constructible_v<Input>) {
      slot& s = ::ashlar::sched::this_slot();
      if (core_->cancelled(s)) return;
      message_metainfo m;
      bool has_place = false;
      ASHLAR_TRY {
        Input v{};
        bool const pulled = predecessors_.pull(v, m, *this);
        hold held(places_);
        if (pulled) {
          queue_.push(v, passage::moved(m.token()));
          held.add_waiting();
          has_place = held.has_room();
          if (has_place) held.take();
        } else {
          held.set_may_pull(!predecessors_.empty());
        }
      }
      ASHLAR_CATCH_ALL { core_->fail(); }
      ::ashlar::flow::release_token(m.token());
      // It was given back while the message was pulled.
      if (has_place) leave_and_start(s);
    }
  }
  bool take_queued(hold& held, work& a) noexcept {
    while (held.has_waiting()) {
      held.remove_waiting();
      if (take_front(queue_, a)) return true;
    }
    return false;
  }
  // Of the queue or the batch. A message that can't be moved is lost, and the graph cancelled.
  template <typename Messages>
  bool take_front(Messages& from, work& a) noexcept {
    wait_token* const t = from.front_token();
    bool taken = false;
    ASHLAR_TRY {
      a.take(from.front(), t);
      taken = true;
    }
    ASHLAR_CATCH_ALL { core_->fail(); }
    from.pop();
    if (!taken) ::ashlar::flow::release_token(t);
    return taken;
  }
  bool pull(work& a) noexcept {
    if constexpr (std::is_default_constructible_v<Input>) {
      message_metainfo m;
      ASHLAR_TRY {
        Input v{};
        if (!predecessors_.pull(v, m, *this)) return false;
        a.take(v, m.token());
        return true;
      }
      ASHLAR_CATCH_ALL {
        core_->fail();
        ::ashlar::flow::release_token(m.token());
      }
    }
    return false;
  }
  // After a body that was called in the sender's task: its place goes to the next message, or becomes free.
  job* leave(slot& s) noexcept {
    if (batch_.empty() && places_.leave()) return nullptr;
    ASHLAR_TRY {
      work& a = has_own_work && limit() == 1 ? own_work() : work::make(s, *this, run_);
      if (next_message(s, a)) return with_priority(s, a);
      end_work(s, a);
      return nullptr;
    }
    ASHLAR_CATCH_ALL { core_->fail(); }
    batch_.clear();
    hold(places_).give_back();
    return nullptr;
  }
  ASHLAR_NOINLINE void leave_and_start(slot& s) noexcept {
    if (limit() == 0) return;
    if (job* const more = leave(s)) core_->start(s, *more);
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
