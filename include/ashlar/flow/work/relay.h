// SPDX-License-Identifier: Apache-2.0
// The input of a node that hands its messages on at once, and refuses one only while the graph is cancelled.
#pragma once

#include <ashlar/flow/edges/node_output.h>
#include <ashlar/flow/work/activation.h>

ASHLAR_FLOW_PARTS

/// Hands a message on within the put, or, on a deep stack, as a job.
template <typename T>
class relay : public node_receiver<T> {
 protected:
  using work = message_activation<relay, T>;
  friend node_job<work, relay>;

 public:
  using predecessor_type = sender<T>;

  job* receive(T& v, passage p) override { return pass(v, p); }
  bool may_pull() const noexcept final { return false; }

 protected:
  explicit relay(graph& g) noexcept : graph_(&g) {}
  ~relay() override = default;
  job* pass(T& v, passage p) {
    if (ASHLAR_UNLIKELY(!call_scope::has_room())) return pass_later(v, p);
    call_scope const deeper;
    job* const answer = hand_on(v, p);
    return ASHLAR_LIKELY(answer != nullptr) ? answer : answer_for_nobody();
  }
  virtual job* hand_on(T& v, passage p) = 0;
  void describe_input(picture& to) { to.input(static_cast<receiver<T>*>(this), picture::input_kind::takes_all); }
  graph& graph_reference() const final { return *graph_; }
  graph_core& core() const noexcept { return graph_->core(); }

 private:
  ASHLAR_NOINLINE job* pass_later(T& v, passage p) {
    return core().refuses() ? nullptr : &work::make(sched::this_slot(), *this, v, p);
  }
  // Nobody has taken the message. It is lost, but of a cancelled graph the sender is told.
  ASHLAR_NOINLINE job* answer_for_nobody() noexcept { return core().refuses() ? nullptr : accepted(); }
  job* activate(slot& here, work& a) noexcept {
    graph_core& g = core();
    job* answer = nullptr;
    ASHLAR_TRY {
      if (!g.cancelled(here)) answer = pass(a.message, passage::moved(a.token));
    }
    ASHLAR_CATCH_ALL { g.fail(); }
    a.drop(here);
    work::end(here, a);
    return pass_on(g, here, answer);
  }
  graph* const graph_;
};

ASHLAR_FLOW_PARTS_END
