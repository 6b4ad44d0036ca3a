// SPDX-License-Identifier: Apache-2.0
// What a graph says of a mistake in the program, with the name of the node.
#include "base/raise.h"
#include "flow/picture.h"

#include <ashlar/base/exceptions.h>
#include <ashlar/flow/graph_core.h>

#include <cstdio>
#include <new>
#include <string>

namespace ashlar::inline v1::flow {

// The thread doesn't know whose body it runs: the node puts its name in when the exception has left that.
struct graph_core::own_body_waits : tbb::unsafe_wait {
  explicit own_body_waits(graph_core const* g) : unsafe_wait(text), graph(g) {}
  static constexpr char const* text =
      "tbb::flow::graph::wait_for_all: called by a body of a node of the same graph, which it would wait for";
  graph_core const* graph;
};

void graph_core::throw_own_body() { raise(own_body_waits(this)); }

void graph_core::fail_in(node_base const& n) noexcept {
  try {
    throw;
  } catch (own_body_waits const& e) {
    if (e.graph != this) return fail();
    try {
      throw tbb::unsafe_wait((std::string(e.text) + ": that of " + name_of(n)).c_str());
    } catch (...) {
      fail();
    }
  } catch (...) {
    fail();
  }
}

void graph_core::tell_of_early_end(node_base& n) noexcept {
  if (count_.done_but_for(&reservations, this)) return;
  char const* const what =
      runs_on(sched::this_slot()) ? "by a body of its graph" : "while work is under way in its graph";
  try {
    std::fprintf(stderr, "ashlar: flow graph: %s is destroyed %s\n", name_of(n).c_str(), what);
  } catch (std::bad_alloc const&) {
    std::fprintf(stderr, "ashlar: flow graph: a node is destroyed %s\n", what);
  }
}

}  // namespace ashlar::inline v1::flow
