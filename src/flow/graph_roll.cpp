// SPDX-License-Identifier: Apache-2.0
// All graphs of the process, for the hang report.
#include "os/fork.h"

#include <ashlar/flow/graph_core.h>
#include <ashlar/sched/report/hang_report.h>

namespace ashlar::inline v1::flow {

namespace {

struct {
  tbb::spin_mutex guard;
  graph_core* first = nullptr;
} graphs;

[[maybe_unused]] bool const kept_over_fork =
    os::add_fork_hooks({[]() noexcept { graphs.guard.lock(); }, []() noexcept { graphs.guard.unlock(); },
                        []() noexcept { graphs.guard.unlock(); }});

}  // namespace

// A graph can't end meanwhile.
void graph_core::explain_waited_for(void const* address) {
  lock::scoped_lock held;
  if (!held.try_acquire(graphs.guard)) return;
  for (graph_core* g = graphs.first; g != nullptr; g = g->next_graph_) {
    if (address == &g->count_) g->explain(stderr);
  }
}

void graph_core::enter_roll() noexcept {
  sched::set_report_part(&explain_waited_for);
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
