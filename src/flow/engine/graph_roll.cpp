// SPDX-License-Identifier: Apache-2.0
// All graphs of the process and all waits for single messages, for the hang report and for whoever cancels.
//
// A wait for a message ends when its graph is cancelled, perhaps through the context of a task far above it: nothing of
// the graph need run then that could wake it. Whoever cancels walks the waits. A waiter enters the list before it looks
// whether its graph is cancelled, so that one of the two sees the other.
#include "flow/engine/token_wait.h"
#include "os/fork.h"

#include <ashlar/sched/market/cancel_hook.h>
#include <ashlar/sched/park/wait_target.h>
#include <ashlar/sched/report/hang_report.h>

#include <utility>

namespace ashlar::inline v1::flow {

namespace {

struct {
  tbb::spin_mutex guard;
  graph_core* first = nullptr;
  token_wait* first_wait = nullptr;
} graphs;

}  // namespace

// In the child of a fork: the entries of other threads lie on stacks that may serve new ones.
void token_wait::forget_other_threads() noexcept {
  token_wait* const all = std::exchange(graphs.first_wait, nullptr);
  for (token_wait *w = all, *next; w != nullptr; w = next) {
    next = w->next_;
    if (w->thread_ == &sched::current_slot) w->enter();
  }
}

namespace {

[[maybe_unused]] bool const kept_over_fork =
    os::add_fork_hooks({[]() noexcept { graphs.guard.lock(); }, []() noexcept { graphs.guard.unlock(); },
                        []() noexcept {
                          token_wait::forget_other_threads();
                          graphs.guard.unlock();
                        }});

}  // namespace

// A graph can't end meanwhile.
void graph_core::explain_waited_for(void const* address) {
  lock::scoped_lock held;
  if (!held.try_acquire(graphs.guard)) return;
  for (graph_core* g = graphs.first; g != nullptr; g = g->next_graph_) {
    if (address == &g->count_) g->explain(stderr);
  }
  for (token_wait* w = graphs.first_wait; w != nullptr; w = w->next_) {
    if (address != w->uses_) continue;
    w->graph_->explain(stderr);
    break;  // a thread may wait for these uses in the name of another one
  }
}

void graph_core::wake_cancelled() noexcept {
  lock::scoped_lock const held(graphs.guard);
  for (token_wait* w = graphs.first_wait; w != nullptr; w = w->next_) {
    if (w->graph_->ends_waits()) sched::wake_waiters(w->uses_);
  }
}

token_wait::token_wait(graph_core& g, sched::group_counter const& uses) noexcept : graph_(&g), uses_(&uses) {
  lock::scoped_lock const held(graphs.guard);
  enter();
}

void token_wait::enter() noexcept {
  previous_ = nullptr;
  next_ = graphs.first_wait;
  if (next_ != nullptr) next_->previous_ = this;
  graphs.first_wait = this;
}

token_wait::~token_wait() {
  lock::scoped_lock const held(graphs.guard);
  (previous_ != nullptr ? previous_->next_ : graphs.first_wait) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
}

void graph_core::enter_roll() noexcept {
  sched::set_report_part(&explain_waited_for);
  sched::set_cancel_hook(&wake_cancelled);
  lock::scoped_lock const held(graphs.guard);
  next_graph_ = graphs.first;
  if (next_graph_ != nullptr) next_graph_->previous_graph_ = this;
  graphs.first = this;
}

void graph_core::leave_roll() noexcept {
  lock::scoped_lock const held(graphs.guard);
  (previous_graph_ != nullptr ? previous_graph_->next_graph_ : graphs.first) = next_graph_;
  if (next_graph_ != nullptr) next_graph_->previous_graph_ = previous_graph_;
}

}  // namespace ashlar::inline v1::flow
