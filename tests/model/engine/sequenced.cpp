// SPDX-License-Identifier: Apache-2.0
// The order of fences and seq_cst accesses: RC11's psc must have no cycle. Fences are ordered as they are executed
// (their views do that, state.h); with seq_cst accesses in the game, an access that reads an old store or puts its
// own before others adds edges against the order of execution, and is allowed only if they close no cycle.
// One difference from RC11: happens-before between seq_cst accesses counts as an edge whatever it consists of, as in
// C++17 and on every processor but POWER; RC11 leaves out a path that ends in the synchronisation itself.
#include "engine/state.h"

namespace ashlar::model {

// Nodes that come before the access, with all before them. A plain access stands for the fences before it.
sequenced_set sequenced_order::sources(place const& p, stamp at, bool writes, bool seq_cst, view const& known) const {
  sequenced_set all;
  for (std::size_t k = nodes.size(); k-- > 0;) {  // newest first: what comes before a node that is in needs no look
    if (all[k]) continue;
    node const& n = nodes[k];
    bool edge = known.get(n.thread) >= n.clock && (seq_cst || n.place < 0);
    if (!edge && seq_cst && writes) {
      if (n.place >= 0) {
        edge = n.place == p.index && n.at <= at;  // from-read and modification order
      } else {
        for (place_event const& e : p.events) {
          edge = edge || (e.before[static_cast<std::size_t>(n.thread)] >= n.clock && e.at <= at);
        }
      }
    }
    if (edge) (all |= n.before).set(k);
  }
  return all;
}

// Nodes that come after an access at index i, because later stores of the place are theirs or happen before them.
sequenced_set sequenced_order::targets(place const& p, std::size_t i) const {
  sequenced_set all;
  for (std::size_t j = i + 1; j < p.order.size(); ++j) {
    store_event const& s = *p.order[j];
    if (s.sequenced >= 0) all.set(static_cast<std::size_t>(s.sequenced));
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      if (nodes[k].place < 0 && nodes[k].known[static_cast<std::size_t>(s.thread)] >= s.clock) all.set(k);
    }
  }
  return all;
}

bool sequenced_order::allows(place const& p, std::size_t i, bool writes, bool seq_cst, view const& known) const {
  return (sources(p, p.order[i]->at, writes, seq_cst, known) & targets(p, i)).none();
}

int sequenced_order::add(node const& n) {
  if (nodes.size() == max_sequenced) fail("limit", "too many fences and seq_cst accesses");
  nodes.push_back(n);
  return static_cast<int>(nodes.size()) - 1;
}

int sequenced_order::add_access(int thread, stamp clock, place const& p, std::size_t i, bool writes, bool seq_cst,
                                view const& known) {
  if (!seq_cst && accesses == 0) return -1;
  stamp const at = p.order[i]->at;
  sequenced_set const after = targets(p, i);
  if (!seq_cst && after.none()) return -1;
  sequenced_set before = sources(p, at, writes, seq_cst, known);
  int id = -1;
  if (seq_cst) {
    node n{thread, p.index, clock, at, {}, before};
    std::memcpy(n.known.data(), known.at, sizeof n.known);
    id = add(n);
    ++accesses;
    before.set(static_cast<std::size_t>(id));
  }
  if (after.none()) return id;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (after[k] || (nodes[k].before & after).any()) nodes[k].before |= before;
  }
  return id;
}

void sequenced_order::add_fence(int thread, stamp clock, view const& known) {
  node n{thread, -1, clock, 0, {}, {}};
  std::memcpy(n.known.data(), known.at, sizeof n.known);
  for (std::size_t k = nodes.size(); k-- > 0;) {
    if (n.before[k]) continue;
    node const& other = nodes[k];
    bool edge = other.place < 0 || known.get(other.thread) >= other.clock;
    if (!edge) {  // a store that follows the access happens before the fence
      for (store_event const* s : the.places[other.place - max_threads].order) {
        edge = edge || (s->at > other.at && s->thread >= 0 && known.get(s->thread) >= s->clock);
      }
    }
    if (edge) (n.before |= other.before).set(k);
  }
  add(n);
}

}  // namespace ashlar::model
