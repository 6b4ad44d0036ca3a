// SPDX-License-Identifier: Apache-2.0
#include "base/raise.h"
#include "flow/picture.h"

#include <ashlar/flow/activation.h>
#include <ashlar/flow/frozen_graph.h>

#include <stdexcept>
#include <string>
#include <unordered_map>

namespace ashlar::inline v1::flow {

struct frozen_core::step : job {
  frozen_core* frozen;
  node_base* node;
  node_base::lone_call call;
  step** first;  // its successors
  step** last;
  int predecessors;
  atomic<int> remaining;
};

// The nodes' numbers in the picture, and their edges.
struct frozen_core::edges_found {
  explicit edges_found(graph_core& g) : seen(picture::purpose::freeze) {
    picture p(seen);
    g.describe(p);
    for (std::size_t i = 0; i < seen.nodes.size(); ++i) {
      for (auto const& in : seen.nodes[i].inputs) owner[in.receiver] = i;
    }
    successors.resize(seen.nodes.size());
    predecessors.resize(seen.nodes.size());
    for (std::size_t i = 0; i < seen.nodes.size(); ++i) {
      for (auto const& out : seen.nodes[i].outputs) {
        for (void const* const to : out.edges) add(i, to);
      }
    }
    for (std::size_t i = 0; i < seen.nodes.size(); ++i) {
      if (node(i).get_lone_call(predecessors[i]) == nullptr) {
        refuse(i, "is no continue_node, or waits for messages besides those of its edges");
      }
    }
  }
  node_base& node(std::size_t i) const noexcept { return const_cast<node_base&>(*seen.nodes[i].what); }
  void add(std::size_t from, void const* receiver) {
    auto const to = owner.find(receiver);
    if (to == owner.end()) refuse(from, "has a successor that is not in the graph");
    successors[from].push_back(to->second);
    ++predecessors[to->second];
    ++edges;
  }
  [[noreturn]] void refuse(std::size_t i, char const* why) const {
    char const* const own = node(i).name().text();
    std::string const name = own != nullptr ? own : seen.nodes[i].kind + (' ' + std::to_string(i));
    raise(std::invalid_argument("tbb::flow::frozen_graph: the node " + name + ' ' + why));
  }

  picture::content seen;
  std::unordered_map<void const*, std::size_t> owner;
  std::vector<std::vector<std::size_t>> successors;
  std::vector<int> predecessors;
  std::size_t edges = 0;
};

frozen_core::frozen_core(graph_core& g) : graph_(&g) {
  edges_found f(g);
  size_ = f.seen.nodes.size();
  try {
    steps_ = new step[size_]();
    successors_ = new step*[f.edges];
    sort(f);
  } catch (...) {
    delete[] steps_;
    delete[] successors_;
    throw;
  }
}

frozen_core::~frozen_core() {
  delete[] steps_;
  delete[] successors_;
}

// Each node after its predecessors, those without one first.
void frozen_core::sort(edges_found& f) {
  std::vector<std::size_t> order;
  order.reserve(size_);
  std::vector<int> missing = f.predecessors;
  for (std::size_t i = 0; i < size_; ++i) {
    if (missing[i] == 0) order.push_back(i);
  }
  roots_ = order.size();
  std::vector<step*> place(size_);
  for (std::size_t at = 0; at < order.size(); ++at) {
    place[order[at]] = &steps_[at];
    for (std::size_t const to : f.successors[order[at]]) {
      if (--missing[to] == 0) order.push_back(to);
    }
  }
  for (std::size_t i = 0; i < size_; ++i) {
    if (place[i] == nullptr) f.refuse(i, "is in a circle, or comes after one");
  }
  step** next = successors_;
  for (std::size_t at = 0; at < size_; ++at) {
    step& s = steps_[at];
    std::size_t const i = order[at];
    s.run = &run_step;
    s.frozen = this;
    s.node = &f.node(i);
    s.call = s.node->get_lone_call(f.predecessors[i]);
    s.first = next;
    for (std::size_t const to : f.successors[i]) *next++ = place[to];
    s.last = next;
    s.predecessors = f.predecessors[i];
    s.remaining.store(s.predecessors, mo::relaxed);
  }
}

// A cancelled run calls no body, but goes through all steps: so their counters are whole at the end.
ASHLAR_ALWAYS_INLINE void frozen_core::call(step& s, slot& here) noexcept {
  bool const disturbed = (here.attention_bits() & (sched::attention_cancel | sched::attention_observe)) != 0;
  if (ASHLAR_UNLIKELY(disturbed) && s.frozen->graph_->cancelled(here)) return;
  try {
    s.call(*s.node, disturbed);
  } catch (...) {
    s.frozen->graph_->fail();
  }
}

job* frozen_core::run_step(job* self, slot& here) noexcept {
  auto& s = *static_cast<step*>(self);
  graph_core& g = *s.frozen->graph_;
  here.enter(g.group());
  call(s, here);
  job* next = nullptr;
  for (step** at = s.first; at != s.last; ++at) {
    step& to = **at;
    if (to.predecessors != 1) {
      if (to.remaining.fetch_sub(1, mo::acq_rel) != 1) continue;  // [FP1] [FP2]
      to.remaining.store(to.predecessors, mo::relaxed);
    }
    if (next != nullptr) g.start(here, *next);
    next = &to;
  }
  return pass_on(g, here, next);
}

void frozen_core::run() {
  slot& s = sched::this_slot();
  graph_->refuse_own_body(s);
  // Nothing is under way if there is no memory for a visit of the graph's arena.
  graph_->call_in_arena(s, [this](slot& here) {
    for (std::size_t i = 0; i < roots_; ++i) graph_->start(here, steps_[i]);
    graph_core::wait_from(graph_->count_, here);
  });
  graph_->wait_for_all();
}

}  // namespace ashlar::inline v1::flow
