// SPDX-License-Identifier: Apache-2.0
// Nodes of the flow graph in a model: their lists of edges are the real ones, and their graph is never cancelled and
// has no work. The model says what stands in for the scheduler (flow_without_jobs.h, or what it needs itself).
#pragma once

#include <scenes.h>

// A lock that looks by writing, as the real one does, would never rest in the engine.
#define spin_mutex spin_mutex_that_writes
#include <ashlar/sync/spin_mutex.h>
#undef spin_mutex
namespace tbb {
class spin_mutex {
 public:
  using scoped_lock = ::ashlar::sync::unique_scoped_lock<spin_mutex>;
  void lock() noexcept {
    while (!try_lock()) ::ashlar::cpu_pause();
  }
  bool try_lock() noexcept {
    bool held = false;
    return held_.compare_exchange(held, true, ::ashlar::mo::acquire, ::ashlar::mo::relaxed);
  }
  void unlock() noexcept { held_.store(false, ::ashlar::mo::release); }

 private:
  ::ashlar::atomic<bool> held_{false};
};
}  // namespace tbb

#include <ashlar/flow/stores/outlet.h>

#include "flow/edges/edge_list.cpp"
#include "flow/edges/edges.cpp"
#include "flow/engine/message.cpp"
#include "flow/engine/picture.cpp"

namespace ashlar {
inline namespace v1 {

inline void must_not_be_called() noexcept { model::require(false, "the model needs no such thing"); }
bool exceptions_end_process() noexcept { return false; }

namespace sched {

__thread slot* current_slot = nullptr;
atomic<std::uint32_t> foreign_group_waiters{0};
void wake_waiters(void const*) noexcept { must_not_be_called(); }
bool slot::check_cancelled(context&) noexcept { return false; }
void slot::attend() noexcept { must_not_be_called(); }
void slot::spawn_or_run_beyond(job&, job_key) noexcept { must_not_be_called(); }
void slot::run(job*, job_key) noexcept { must_not_be_called(); }
void slot::switch_fp(fp_settings const*) noexcept { must_not_be_called(); }

}  // namespace sched

namespace flow {

__thread unsigned call_depth = 0;
node_base::node_base(graph_core& g) : core_(reinterpret_cast<std::uintptr_t>(&g)) {}
node_base::~node_base() = default;
void graph_core::wait_for_activations() noexcept {}
void graph_core::tell_of_early_end(node_base&) noexcept { must_not_be_called(); }
void graph_core::fail() noexcept { must_not_be_called(); }

}  // namespace flow
}  // namespace v1
}  // namespace ashlar

namespace ashlar::model {

alignas(tbb::flow::graph) inline unsigned char graph_memory[sizeof(tbb::flow::graph)];
inline tbb::flow::graph& no_graph() { return reinterpret_cast<tbb::flow::graph&>(graph_memory); }

}  // namespace ashlar::model
