// SPDX-License-Identifier: Apache-2.0
// A function that runs as a task of a graph: classic TBB's graph::run.
#pragma once

#include <ashlar/flow/engine/graph_core.h>

#include <new>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace flow {

template <typename F>
class graph_call : public job {
 public:
  /// Throws std::bad_alloc, and what copying f throws.
  static void start(graph_core& g, F& f) {
    slot& s = sched::this_slot();
    sched::task_pool* home;
    void* const place = s.pool().allocate(sizeof(graph_call), home);
    graph_call* j;
    ASHLAR_TRY { j = new (place) graph_call(g, f, home); }
    ASHLAR_CATCH_ALL {
      s.pool().release(place, sizeof(graph_call), home);
      ASHLAR_RETHROW;
    }
    g.start(s, *j);
  }

 private:
  graph_call(graph_core& g, F& f, sched::task_pool* h) : job{&run_it}, graph_(&g), home_(h), f_(std::move(f)) {}
  static job* run_it(job* self, slot& here) noexcept {
    auto* const j = static_cast<graph_call*>(self);
    graph_core& g = *j->graph_;
    here.enter(g.group());
    if (!g.cancelled(here)) {
      ASHLAR_TRY { j->f_(); }
      ASHLAR_CATCH_ALL { g.fail(); }
    }
    sched::task_pool* const home = j->home_;
    j->~graph_call();
    here.pool().release(j, sizeof(graph_call), home);
    g.finish(here);
    return nullptr;
  }

  graph_core* const graph_;
  sched::task_pool* const home_;
  F f_;
};

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
