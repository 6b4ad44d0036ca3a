// SPDX-License-Identifier: Apache-2.0
// Classic TBB's extraction: the senders before a receiver, and a node that is taken out of its graph. Only senders know
// their edges, so that all nodes of the graph are asked.
#include "flow/engine/picture.h"

#include <algorithm>

namespace ashlar::inline v1::flow {

namespace {

using content = picture::content;

content look(graph_core& g) {
  content c(picture::purpose::freeze);
  picture p(c);
  g.describe(p);
  return c;
}

void remove(content::out_port const& from, void const* receiver) {
  if (from.remove != nullptr) from.remove(const_cast<void*>(from.sender), const_cast<void*>(receiver));
}

void remove_pulled(content const& c, void const* sender, void const* receiver) {
  for (content::node const& n : c.nodes) {
    for (content::out_port const& out : n.outputs) {
      if (out.sender == sender) return remove(out, receiver);
    }
  }
}

}  // namespace

void graph_core::for_each_predecessor(void const* receiver, void (*f)(void* argument, void* sender), void* argument) {
  content const c = look(*this);
  for (content::node const& n : c.nodes) {
    for (content::out_port const& out : n.outputs) {
      for (void const* const r : out.edges) {
        if (r == receiver) f(argument, const_cast<void*>(out.sender));
      }
    }
    for (content::in_port const& in : n.inputs) {
      if (in.receiver != receiver) continue;
      for (void const* const from : in.pulls_from) f(argument, const_cast<void*>(from));
    }
  }
}

void graph_core::extract(node_base& what) {
  content const c = look(*this);
  auto const self =
      std::find_if(c.nodes.begin(), c.nodes.end(), [&](content::node const& n) { return n.what == &what; });
  auto const has_input = [&](void const* r) {
    return std::any_of(self->inputs.begin(), self->inputs.end(), [r](auto const& in) { return in.receiver == r; });
  };
  auto const has_output = [&](void const* s) {
    return std::any_of(self->outputs.begin(), self->outputs.end(), [s](auto const& out) { return out.sender == s; });
  };
  for (content::node const& n : c.nodes) {
    for (content::out_port const& out : n.outputs) {
      for (void const* const r : out.edges) {
        if (&n == &*self || has_input(r)) remove(out, r);
      }
    }
    for (content::in_port const& in : n.inputs) {
      for (void const* const from : in.pulls_from) {
        if (&n == &*self || has_output(from)) remove_pulled(c, from, in.receiver);
      }
    }
  }
}

}  // namespace ashlar::inline v1::flow
