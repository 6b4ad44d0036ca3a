// SPDX-License-Identifier: Apache-2.0
// The input of a node with a body: how many bodies run at once, and what becomes of the messages beyond that.
//
// Threads    any.
// Invariants FI1 running_ <= limit_; each activation of a limited node, and each pulled message, holds one of them.
//            FI2 a message waits in queue_ only while running_ == limit_; a node of predecessors likewise, or pull_next
//            is
//                under way.
#pragma once

#include <ashlar/flow/activation.h>
#include <ashlar/flow/body.h>
#include <ashlar/flow/message_queue.h>

namespace ashlar {
inline namespace v1 {
namespace flow {

// What a policy says.
template <typename Policy>
struct policy_traits {
  static_assert(
      std::is_same_v<Policy, tbb::flow::queueing> || std::is_same_v<Policy, tbb::flow::rejecting> ||
          std::is_same_v<Policy, tbb::flow::lightweight> || std::is_same_v<Policy, tbb::flow::queueing_lightweight> ||
          std::is_same_v<Policy, tbb::flow::rejecting_lightweight>,
      "the policy of a node is queueing, rejecting, lightweight, queueing_lightweight or rejecting_lightweight");
  static constexpr bool rejects =
      std::is_same_v<Policy, tbb::flow::rejecting> || std::is_same_v<Policy, tbb::flow::rejecting_lightweight>;
  static constexpr bool lightweight =
      !std::is_same_v<Policy, tbb::flow::queueing> && !std::is_same_v<Policy, tbb::flow::rejecting>;
};

// Makes a group the thread's for a body that is called in a sender's task.
class body_scope {
 public:
  body_scope(slot& s, sched::context& group) noexcept : group_(s, group) {}

 private:
  call_scope depth_;
  sched::group_scope group_;
};

}  // namespace flow
}  // namespace v1
}  // namespace ashlar

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
  using guard = ::ashlar::flow::lock::scoped_lock;
  friend work;

 public:
  using predecessor_type = sender<Input>;

  job* receive(Input& v, passage p) final {
    slot& s = ::ashlar::sched::this_slot();
    if (ASHLAR_UNLIKELY(core_->cancelled(s))) return nullptr;
    if (limit_ != 0) return receive_limited(s, v, p);
    if (lightweight_ && ::ashlar::flow::call_scope::has_room()) return call_now(s, v, p);
    return with_priority(s, work::make(s, *this, v, p, run_));
  }
  bool may_pull() const noexcept final { return rejects_; }
  bool register_predecessor(predecessor_type& from) override {
    if constexpr (std::is_default_constructible_v<Input>) {
      if (!rejects_) return false;
      slot& s = ::ashlar::sched::this_slot();
      if (core_->cancelled(s)) return false;
      predecessors_.add(from);
      pull_if_idle(s);
      return true;
    } else {
      return false;
    }
  }
  bool remove_predecessor(predecessor_type& from) override { return predecessors_.remove(from); }
#if ASHLAR_CLASSIC_DIALECT
  std::size_t predecessor_count() override { return predecessors_.size(); }
  void copy_predecessors(typename receiver<Input>::predecessor_list_type& to) override {
    predecessors_.for_each([&to](predecessor_type& s) { to.push_back(&s); });
  }
#endif

 protected:
  // `run`: &run_node<the node>.
  function_input(graph_node& n, graph& g, std::size_t limit, bool rejects, node_priority_t priority,
                 job::entry run) noexcept
      : core_(&n.core()),
        graph_(&g),
        run_(run),
        limit_(static_cast<std::uint32_t>(limit > max_limit ? std::size_t{0} : limit)),
        priority_(priority),
        rejects_(rejects) {}
  ~function_input() override = default;

  // Calls the body and hands on what it makes.
  virtual job* call(Input& v, wait_token* t) = 0;
  // What an activation of the node does, in one function with Node::run_body.
  template <typename Node>
  static job* run_node(job* self, slot& here) noexcept {
    auto& a = *static_cast<work*>(self);
    function_input& in = *a.node;
    graph_core& g = *in.core_;
    here.enter(g.group());
    if (ASHLAR_UNLIKELY(g.has_urgent()) && in.priority_ == no_priority) {
      if (job* const first = g.let_urgent_first(here, a)) return first;
    }
    job* next = nullptr;
    if (ASHLAR_LIKELY(!g.cancelled(here))) {
      ASHLAR_TRY { next = ::ashlar::flow::job_or_null(static_cast<Node&>(in).Node::run_body(a.value(), a.token)); }
      ASHLAR_CATCH_ALL { g.fail(); }
    }
    a.drop();
    if (in.limit_ != 0 && !in.give_up_place()) return in.go_on(here, a, next);
    work::end(here, a);
    return ::ashlar::flow::pass_on(g, here, next);
  }

  graph& graph_reference() const override { return *graph_; }
  graph_core& core() const noexcept { return *core_; }
  void set_lightweight(bool l) noexcept { lightweight_ = l; }
  bool is_lightweight() const noexcept { return lightweight_; }
  std::size_t limit() const noexcept { return limit_; }
  node_priority_t priority() const noexcept { return priority_; }
  bool rejects() const noexcept { return rejects_; }

  void reset_input(reset_flags f) {
    guard const held(lock_);
    queue_.clear();
    running_ = 0;
    if ((f & rf_clear_edges) != 0) predecessors_.clear();
  }
  void describe_input(::ashlar::flow::picture& to) {
    using kind = ::ashlar::flow::picture::input_kind;
    to.limit(limit_);
    to.input(static_cast<receiver<Input>*>(this), rejects_ ? kind::refuses : kind::takes_all);
    predecessors_.describe(to);
    ::ashlar::flow::lock::scoped_lock held;
    if (limit_ == 0 || !to.look(held, lock_)) return;
    to.busy(running_);
    to.queued(queue_.size());
    if (!queue_.empty()) to.say("the messages wait because as many bodies run as the node allows");
  }
  // Predecessors push again: pulling would need a message that ends.
  void settle_input() {
    {
      guard const held(lock_);
      queue_.clear();
    }
    predecessors_.give_back_all(*this);
  }

 private:
  static constexpr std::size_t max_limit = std::size_t{1} << 31;

  // Without memory the job goes without priority.
  ASHLAR_ALWAYS_INLINE job* with_priority(slot& s, work& a) noexcept {
    return ASHLAR_LIKELY(priority_ == no_priority) ? &a : prioritize(s, a);
  }
  ASHLAR_NOINLINE job* prioritize(slot& s, work& a) noexcept {
    ASHLAR_TRY { return core_->prioritize(s, a, priority_); }
    ASHLAR_CATCH_ALL { return &a; }
    return &a;
  }

  // Takes one of the places; else the message is queued. 1: a place; 0: queued; -1: refused.
  int enter(Input& v, passage p) {
    guard const held(lock_);
    if (running_ < limit_) {
      ++running_;
      return 1;
    }
    if (rejects_) return -1;
    queue_.push(v, p);
    return 0;
  }
  job* receive_limited(slot& s, Input& v, passage p) {
    int const how = enter(v, p);
    if (how <= 0) return how == 0 ? ::ashlar::flow::accepted() : nullptr;
    if (lightweight_ && ::ashlar::flow::call_scope::has_room()) {
      job* const answer = call_now(s, v, p);
      job* const more = leave(s);
      return ::ashlar::flow::keep_last(*core_, more, answer);
    }
    ASHLAR_TRY { return with_priority(s, work::make(s, *this, v, p, run_)); }
    ASHLAR_CATCH_ALL {
      if (job* const more = leave(s)) core_->start(s, *more);
      ASHLAR_RETHROW;
    }
    return nullptr;
  }

  job* call_now(slot& s, Input& v, passage p) {
    ::ashlar::flow::body_scope const scope(s, core_->group());
    return call_caught(v, p.token());
  }
  // accepted() in place of null.
  ASHLAR_ALWAYS_INLINE job* call_caught(Input& v, wait_token* t) noexcept {
    ASHLAR_TRY {
      job* const answer = call(v, t);
      return answer != nullptr ? answer : ::ashlar::flow::accepted();
    }
    ASHLAR_CATCH_ALL { core_->fail(); }
    return ::ashlar::flow::accepted();
  }

  // Unless there is, or may be, another message for it.
  ASHLAR_ALWAYS_INLINE bool give_up_place() noexcept {
    guard const held(lock_);
    if (!queue_.empty() || ASHLAR_UNLIKELY(rejects_ && !predecessors_.empty())) return false;
    --running_;
    return true;
  }
  // The activation has lost its message; another one may take its place.
  job* go_on(slot& here, work& a, job* next) noexcept {
    graph_core& g = *core_;
    if (!next_message(here, a)) {
      work::end(here, a);
      return ::ashlar::flow::pass_on(g, here, next);
    }
    job* more = &a;
    if (ASHLAR_UNLIKELY(priority_ != no_priority)) more = with_priority(here, a);
    if (next == nullptr) return ::ashlar::flow::pass_on(g, here, more);
    // Depth first: what the message has caused goes before the next message.
    g.start(here, *more);
    return ::ashlar::flow::pass_on(g, here, next);
  }
  // Gives the activation the next message; false: there is none, and its place is free.
  bool next_message(slot& here, work& a) noexcept {
    for (;;) {
      {
        guard const held(lock_);
        if (take_queued(a)) return true;
        if (ASHLAR_LIKELY(!rejects_ || predecessors_.empty())) {
          --running_;
          return false;
        }
      }
      if (core_->cancelled(here)) {
        guard const held(lock_);
        --running_;
        return false;
      }
      if (pull(a)) return true;
    }
  }
  // The lock is held. A message that can't be moved is lost, and the graph cancelled.
  bool take_queued(work& a) noexcept {
    while (!queue_.empty()) {
      wait_token* const t = queue_.front_token();
      bool taken = false;
      ASHLAR_TRY {
        a.take(queue_.front(), t);
        taken = true;
      }
      ASHLAR_CATCH_ALL { core_->fail(); }
      queue_.pop();
      if (taken) return true;
      ::ashlar::flow::release_token(t);
    }
    return false;
  }
  bool pull(work& a) noexcept {
    if constexpr (std::is_default_constructible_v<Input>) {
      ASHLAR_TRY {
        Input v{};
        message_metainfo m;
        if (!predecessors_.pull(v, m, *this)) return false;
        a.take(v, m.token());
        return true;
      }
      ASHLAR_CATCH_ALL { core_->fail(); }
    }
    return false;
  }
  // After a body that was called in the sender's task: its place goes to the next message, or becomes free.
  job* leave(slot& s) noexcept {
    {
      guard const held(lock_);
      if (queue_.empty() && predecessors_.empty()) {
        --running_;
        return nullptr;
      }
    }
    ASHLAR_TRY {
      work& a = work::make(s, *this, run_);
      if (next_message(s, a)) return with_priority(s, a);
      work::end(s, a);
      return nullptr;
    }
    ASHLAR_CATCH_ALL { core_->fail(); }
    guard const held(lock_);
    --running_;
    return nullptr;
  }
  // A predecessor has come.
  void pull_if_idle(slot& s) {
    {
      guard const held(lock_);
      if (running_ == limit_) return;
      ++running_;
    }
    if (job* const more = leave(s)) core_->start(s, *more);
  }

  graph_core* const core_;
  graph* const graph_;
  job::entry const run_;
  std::uint32_t const limit_;  // 0: none
  std::uint32_t running_ = 0;
  node_priority_t const priority_;
  bool const rejects_;
  bool lightweight_ = false;
  ::ashlar::flow::lock lock_;
  predecessors<Input> predecessors_;
  ::ashlar::flow::message_queue<Input> queue_;
};

ASHLAR_FLOW_HOME_END
}  // namespace flow
}  // namespace tbb
