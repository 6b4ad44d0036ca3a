// SPDX-License-Identifier: Apache-2.0
// tbb::flow::coroutine_node (C++20). Users include <tbb/flow_coroutine.h>.
//
// Invariants CO1 a message that has left the queue, and its activation, are the coroutine's until that is over; so are
//                one count of the graph and one of running_.
#pragma once

#include <ashlar/base/config.h>

#if defined(__cpp_impl_coroutine)

#include <ashlar/flow/edges/node_output.h>
#include <ashlar/flow/engine/body.h>
#include <ashlar/flow/work/queued_input.h>
#include <ashlar/sched/tasks/coroutine.h>

ASHLAR_FLOW_PARTS

/// What a coroutine_node<..., Output> awaits of its body.
template <typename Output>
using body_task = tbb::co_task<std::conditional_t<std::is_same_v<Output, continue_msg>, void, Output>>;

ASHLAR_FLOW_PARTS_END

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
class coroutine_node : public ::ashlar::flow::queued_input<coroutine_node<Input, Output>, Input>,
                       public ::ashlar::flow::node_output<Output>,
                       ::ashlar::flow::bodied<::ashlar::flow::body_task<Output>(Input&)> {
  using input = typename coroutine_node::queued_input;
  using output = ::ashlar::flow::node_output<Output>;
  using result = ::ashlar::flow::body_task<Output>;
  using with_body = ::ashlar::flow::bodied<result(Input&)>;
  using work = ::ashlar::flow::message_activation<coroutine_node, Input>;
  using job = ::ashlar::sched::job;
  using slot = ::ashlar::sched::slot;
  friend input;
  friend ::ashlar::flow::node_job<work, coroutine_node>;

 public:
  template <typename Body>
    requires std::is_invocable_r_v<result, Body&, Input&>
  coroutine_node(graph& g, std::size_t limit, Body body)
      : input(g, limit),
        output(g.core()),
        with_body(::ashlar::flow::plain_adapter<result>(), body),
        life_(*this, g.core()) {}
  // The body that the other one was constructed with, and none of its edges.
  coroutine_node(coroutine_node const& other) : input(other), output(other), with_body(other), life_(*this, other) {}

 private:
  // An activation begins the coroutine, and doesn't end with it.
  job* activate(slot& here, work& a) noexcept {
    if (this->core().cancelled(here)) return end(here, a);
    co_task<> t;
    ASHLAR_TRY { t = run_body(*this, a); }
    ASHLAR_CATCH_ALL {
      this->core().fail_in(*this);
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
    here.enter_apart(&this->core().group());
    frame.resume();
    here.begin(outer, here.key());
    return nullptr;
  }
  static co_task<> run_body(coroutine_node& n, work& a) {
    ASHLAR_TRY {
      if constexpr (std::is_same_v<Output, continue_msg>) {
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
  void send(Output& out, ::ashlar::flow::wait_token* t) {
    job* const answer = this->broadcast(*this, out, ::ashlar::flow::passage::moved(t));
    if (job* const j = ::ashlar::flow::job_or_null(answer)) this->core().start(*j);
  }
  // The next message takes the place and the count; null: there is none, and the graph may be gone.
  job* end(slot& here, work& a) noexcept {
    ::ashlar::flow::graph_core& g = this->core();
    ::ashlar::flow::own_wait const wait(a.token, here);
    a.drop(here);
    if (this->next_message(a)) return wait.over() ? ::ashlar::flow::leave_to_others(g, here, a) : &a;
    work::end(here, a);
    g.finish(here);
    return nullptr;
  }

  void reset_node(reset_flags f) override {
    this->settle();
    this->reset_body(f);
    this->reset_output(f);
  }
  void describe(::ashlar::flow::picture& to) override {
    to.kind("coroutine_node");
    this->describe_output(to);
    this->describe_input(to);
  }
  using life = ::ashlar::flow::node_base::life;
  life const& its_life() const noexcept override { return life_; }

  life const life_;
};

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, coroutine_node)
}  // namespace flow
}  // namespace tbb

#endif
