// SPDX-License-Identifier: Apache-2.0
// What a graph says of a program's mistakes, with the name of the node.
#include "base/raise.h"
#include "flow/engine/picture.h"

#include <ashlar/base/exceptions.h>

#include <cstdio>
#include <new>
#include <string>

namespace ashlar::inline v1::flow {

namespace {

// The name, or the kind and the number in the order of registration, as in what the graph explains. Other nodes are not
// looked at: they may be in the making. Throws std::bad_alloc.
std::string name_of(node_base const& n) {
  if (char const* const own = n.name().text(); own != nullptr) return own;
  picture::content c(picture::purpose::show);
  picture p(c);
  p.next_node(n);
  const_cast<node_base&>(n).describe(p);
  return std::string(c.latest().kind) + ' ' + std::to_string(n.core().number_of(n));
}

}  // namespace

std::size_t graph_core::number_of(node_base const& n) noexcept {
  guard const held(nodes_lock_);
  std::size_t before = 0;
  for (node_base const* p = n.previous_; p != nullptr; p = p->previous_) ++before;
  return before;
}

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
