// SPDX-License-Identifier: Apache-2.0
#include "flow/frozen/frozen_plan.h"

#include "base/raise.h"
#include "flow/engine/picture.h"

#include <ashlar/flow/work/activation.h>
#include <ashlar/os/ticks.h>
#include <ashlar/os/tuning.h>

#include <stdexcept>
#include <string>
#include <unordered_map>

namespace ashlar::inline v1::flow {

// The nodes' numbers in the picture, and their edges.
struct frozen_plan::edges_found {
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

frozen_plan::frozen_plan(graph_core& g) : graph_(&g), longest_chunk_(os::tuned.small_loop / 2) {
  edges_found f(g);
  size_ = f.seen.nodes.size();
  steps_.reset(new step[size_]());
  successors_.reset(new step*[f.edges]);
  jobs_after_.reset(new step*[f.edges]);
  order_.reset(new step*[size_]);
  marks_.reset(new mark[size_]());
  sort(f);
  form_chunks();
}

frozen_plan::~frozen_plan() = default;

// Each node after its predecessors, depth first: so one thread goes through the memory as it was allocated, where nodes
// were made row by row or branch by branch.
void frozen_plan::sort(edges_found& f) {
  std::vector<std::size_t> order, ready;
  order.reserve(size_);
  std::vector<int> missing = f.predecessors;
  for (std::size_t i = size_; i-- != 0;) {
    if (missing[i] == 0) ready.push_back(i);
  }
  std::vector<step*> place(size_);
  while (!ready.empty()) {
    std::size_t const i = ready.back();
    ready.pop_back();
    place[i] = &steps_[order.size()];
    order.push_back(i);
    for (std::size_t const to : f.successors[i]) {
      if (--missing[to] == 0) ready.push_back(to);
    }
  }
  for (std::size_t i = 0; i < size_; ++i) {
    if (place[i] == nullptr) f.refuse(i, "is in a circle, or comes after one");
  }
  std::size_t edge = 0;
  for (std::size_t at = 0; at < size_; ++at) {
    step& s = steps_[at];
    std::size_t const i = order[at];
    s.frozen = this;
    s.node = &f.node(i);
    s.call = s.node->get_lone_call(f.predecessors[i]);
    s.successors = &jobs_after_[edge];
    s.edges = static_cast<std::uint32_t>(f.successors[i].size());
    for (std::size_t const to : f.successors[i]) successors_[edge++] = place[to];
    marks_[at].predecessors = f.predecessors[i];
    marks_[at].cost = cost_unknown;
  }
}

// A cancelled run calls no body, but goes through all steps: so their counters are whole at the end.
ASHLAR_ALWAYS_INLINE void frozen_plan::call(step& s, slot& here) noexcept {
  bool const disturbed = (here.attention_bits() & disturbing) != 0;
  if (ASHLAR_UNLIKELY(disturbed) && s.frozen->graph_->cancelled(here)) return;
  try {
    s.call(*s.node, disturbed);
  } catch (...) {
    s.frozen->graph_->fail();
  }
}

// Starts the jobs that the step's edges complete, and returns one of them.
ASHLAR_ALWAYS_INLINE job* frozen_plan::end_job(step& last, graph_core& g, slot& here) noexcept {
  job* next = nullptr;
  for (step* const to : last) {
    if (!to->arrive()) continue;
    if (next != nullptr) g.start(here, *next);
    next = to;
  }
  return pass_on(g, here, next);
}

job* frozen_plan::run_step(job* self, slot& here) noexcept {
  auto& s = *static_cast<step*>(self);
  frozen_plan& f = *s.frozen;
  here.enter(f.graph_->group());
  bool const measured = f.measured_;
  std::uint64_t const start = ASHLAR_UNLIKELY(measured) ? ticks() : 0;
  call(s, here);
  if (ASHLAR_UNLIKELY(measured)) f.set_cost(s, ticks() - start);
  return end_job(s, *f.graph_, here);
}

job* frozen_plan::run_chunk(job* self, slot& here) noexcept {
  auto& first = *static_cast<step*>(self);
  frozen_plan& f = *first.frozen;
  graph_core& g = *f.graph_;
  here.enter(g.group());
  std::uint64_t const start = ticks();
  std::uint64_t looked = start;
  step* since = &first;  // the clock was looked at
  step* s = &first;
  for (unsigned called = 0;; ++called) {
    call(*s, here);
    step* const next = s->next();
    // The clock takes longer than the shortest bodies.
    if (called % 16 == 0 || next == nullptr) {
      std::uint64_t const now = ticks();
      if (ASHLAR_UNLIKELY(f.measured_)) f.share_cost(*since, next, now - looked);
      looked = now;
      since = next;
      if (ASHLAR_UNLIKELY(now - start >= 16 * f.longest_chunk_)) {
        f.was_slow_.store(true, mo::relaxed);
        if (next != nullptr) dissolve(*s, g, here);
        return end_job(*s, g, here);
      }
    }
    if (next == nullptr) return end_job(*s, g, here);
    for (step** to = s->begin(); to != s->outer_end(); ++to) {
      if ((*to)->arrive()) g.start(here, **to);
    }
    s = next;
  }
}

// The steps behind the one that was called last become jobs. The counts of their edges from that one on are set before
// the first one starts.
ASHLAR_NOINLINE void frozen_plan::dissolve(step& called, graph_core& g, slot& here) noexcept {
  for (step* s = called.next(); s != nullptr; s = s->next()) s->inputs = 0;
  for (step* s = &called; s != nullptr; s = s->next()) {
    for (step** to = s->outer_end(); to != s->end(); ++to) ++(*to)->inputs;
  }
  for (step* s = called.next(); s != nullptr; s = s->next()) s->remaining.store(s->inputs, mo::relaxed);
  for (step* s = called.next(); s != nullptr; s = s->next()) {
    if (s->inputs == 0) g.start(here, *s);
  }
}

void frozen_plan::run() {
  slot& s = sched::this_slot();
  graph_->refuse_own_body(s);
  if (forms_anew_) form_chunks();
  measured_ = is_measured();
  forms_anew_ = false;
  // Nothing is under way if there is no memory for a visit of the graph's arena.
  graph_->call_in_arena(s, [this](slot& here) {
    for (std::size_t i = 0; i < roots_; ++i) graph_->start(here, *order_[i]);
    graph_core::wait_from(graph_->count_, here);
  });
  graph_->wait_for_all();
  forms_anew_ = measured_ && !graph_->was_cancelled();
}

}  // namespace ashlar::inline v1::flow
