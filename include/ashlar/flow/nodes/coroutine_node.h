// SPDX-License-Identifier: Apache-2.0
// tbb::flow::coroutine_node (C++20). Users include <tbb/flow_coroutine.h>.
//
// Invariants CO1 a message that has left the queue, and its activation, are the coroutine's until that is over; so are
//                one count of the graph and one of running_.
#pragma once

#include <ashlar/base/config.h>

#if defined(__cpp_impl_coroutine)

#include <ashlar/base/invoke.h>
#include <ashlar/flow/edges/node_output.h>
#include <ashlar/flow/engine/body.h>
#include <ashlar/flow/engine/living_node.h>
#include <ashlar/flow/work/activation.h>
#include <ashlar/flow/work/message_queue.h>
#include <ashlar/sched/tasks/coroutine.h>

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// Calls a coroutine with each message and sends what it returns to all successors. A coroutine that awaits something
/// holds no thread, but its place: `limit` of them are under way at once; other messages wait, first in, first out. An
/// exception cancels the graph; a coroutine that has begun then goes on to its end, for which wait_for_all waits.
///
/// The body is called as body(Input&), Input const& or Input, and returns a co_task<Output>. The message lives until
/// the coroutine is over.
template <typename Input, typename Output = continue_msg>
class coroutine_node : public ::ashlar::flow::living_node,
                       public ::ashlar::flow::node_receiver<Input>,
                       public ::ashlar::flow::node_output<Output> {
  using job = ::ashlar::sched::job;
  using slot = ::ashlar::sched::slot;
  using passage = ::ashlar::flow::passage;
  using graph_core = ::ashlar::flow::graph_core;
  using wait_token = ::ashlar::flow::wait_token;
  using guard = ::ashlar::flow::guard;
  using work = ::ashlar::flow::message_activation<coroutine_node, Input>;
  using result = std::conditional_t<std::is_same_v<Output, continue_msg>, void, Output>;
  friend work;
  struct adapter {
    template <typename F>
    static co_task<result> call(F& f, Input& v) {
      return ::ashlar::invoke(f, v);
    }
    template <typename F>
    static constexpr bool never_throws = false;
  };

 public:
  using graph_node::core;

  template <typename Body>
    requires std::is_invocable_r_v<co_task<result>, Body&, Input&>
  coroutine_node(graph& g, std::size_t limit, Body body)
      : ::ashlar::flow::living_node(g),
        ::ashlar::flow::node_output<Output>(g.core()),
        limit_(limit),
        body_(adapter(), body),
        life_(*this, g.core()) {}
  // The body that the other one was constructed with, and none of its edges.
  coroutine_node(coroutine_node const& other)
      : ::ashlar::flow::living_node(other),
        ::ashlar::flow::node_output<Output>(other),
        limit_(other.limit_),
        body_(other.body_),
        life_(*this, other) {}

  job* receive(Input& v, passage p) final {
    slot& s = ::ashlar::sched::this_slot();
    if (core().cancelled(s)) return nullptr;
    {
      guard const held(lock_);
      if (limit_ != 0 && running_ == limit_) {
        queue_.push(v, p);
        return ::ashlar::flow::accepted();
      }
      ++running_;
    }
    ASHLAR_TRY { return &work::make(s, *this, v, p); }
    ASHLAR_CATCH_ALL {
      hand_over(s);
      ASHLAR_RETHROW;
    }
    return nullptr;
  }
  bool may_pull() const noexcept final { return false; }

 private:
  // An activation begins the coroutine, and doesn't end with it.
  job* activate(slot& here, work& a) noexcept {
    if (core().cancelled(here)) return end(here, a);
    co_task<> t;
    ASHLAR_TRY { t = run_body(*this, a); }
    ASHLAR_CATCH_ALL {
      core().fail_in(*this);
      return end(here, a);
    }
    auto const frame = t.release();
    auto& promise = frame.promise();
    promise.has_group = true;
    promise.owner = &a;
    promise.over = [](::ashlar::sched::co_promise_base& p, std::coroutine_handle<> its) noexcept {
      auto& ended = *static_cast<work*>(p.owner);
      its.destroy();
      slot& s = ::ashlar::sched::this_slot();
      coroutine_node& n = *ended.node;
      if (job* const next = n.end(s, ended)) n.core().start_counted(s, *next);
    };
    void* const outer = here.task();
    here.enter_apart(&core().group());
    frame.resume();
    here.begin(outer, here.key());
    return nullptr;
  }
  static co_task<> run_body(coroutine_node& n, work& a) {
    ASHLAR_TRY {
      if constexpr (std::is_void_v<result>) {
        co_await n.body_(a.message);
        continue_msg out;
        n.send(out, a.token);
      } else {
        Output out = co_await n.body_(a.message);
        n.send(out, a.token);
      }
    }
    ASHLAR_CATCH_ALL { n.core().fail_in(n); }
  }
  void send(Output& out, wait_token* t) {
    job* const answer = this->broadcast(*this, out, passage::moved(t));
    if (job* const j = ::ashlar::flow::job_or_null(answer)) core().start(*j);
  }
  // The next message takes the place and the count; null: there is none, and the graph may be gone.
  job* end(slot& here, work& a) noexcept {
    graph_core& g = core();
    a.drop(here);
    if (next(a)) return &a;
    work::end(here, a);
    g.finish(here);
    return nullptr;
  }
  // Gives the activation the next message; false: there is none, and the place is free.
  bool next(work& a) noexcept {
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
      ::ashlar::flow::release_token(t);
    }
    --running_;
    return false;
  }
  // The message that had the place could not be copied: the next one gets it. Without memory for that the graph is
  // cancelled, and what waits is dropped.
  ASHLAR_NOINLINE void hand_over(slot& s) noexcept {
    if (leave_if_idle()) return;
    ASHLAR_TRY {
      work& a = work::make(s, *this);
      if (next(a)) return core().start(s, a);
      work::end(s, a);
      return;
    }
    ASHLAR_CATCH_ALL { core().fail(); }
    guard const held(lock_);
    queue_.clear();
    --running_;
  }
  // Nothing waits: the place is free.
  bool leave_if_idle() noexcept {
    guard const held(lock_);
    if (!queue_.empty()) return false;
    --running_;
    return true;
  }

  graph& graph_reference() const override { return my_graph; }
  void reset_node(reset_flags f) override {
    settle();
    if ((f & rf_reset_bodies) != 0) body_.reset();
    this->reset_output(f);
  }
  void settle() override {
    guard const held(lock_);
    queue_.clear();
  }
  void describe(::ashlar::flow::picture& to) override {
    to.kind("coroutine_node");
    to.limit(limit_);
    to.input(static_cast<receiver<Input>*>(this), ::ashlar::flow::picture::input_kind::takes_all);
    this->describe_output(to);
    ::ashlar::flow::lock::scoped_lock held;
    if (!to.look(held, lock_)) return;
    to.busy(running_);
    to.queued(queue_.size());
  }
  life const& its_life() const noexcept override { return life_; }

  std::size_t const limit_;  // 0: any number
  ::ashlar::flow::lock lock_;
  std::size_t running_ = 0;
  ::ashlar::flow::message_queue<Input> queue_;
  ::ashlar::flow::body_box<co_task<result>(Input&)> body_;
  life const life_;
};

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, coroutine_node)
}  // namespace flow
}  // namespace tbb

#endif
