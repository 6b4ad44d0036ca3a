// SPDX-License-Identifier: Apache-2.0
// What the market knows about the arenas' demand, and how many places there are for workers: README.md, 'Demand'. Everything
// under its lock.
#include "os/clock.h"
#include "os/membarrier.h"
#include "os/topology.h"
#include "sched/market.h"

#include <algorithm>

namespace ashlar::sched {

void market::recompute() noexcept { allotment_.divide(places()); }

// An arena without wishes costs nothing until it has one.
void market::withdraw(arena& a) noexcept {
  allotment_.want(a, 0, false);
  recompute();
}

// Jobs that only workers can run.
bool market::depends_on_workers(arena& a) noexcept { return a.abandoned.load(mo::relaxed) || a.enqueued.has_jobs(); }

// The arena has work: it could use a worker for every free slot. One whose slots are all reserved uses one for jobs
// that only workers run.
void market::demand(arena& a) noexcept {
  bool const promised = a.wants_more.load(mo::relaxed);
  note_demand(a);
  // Neither a wish nor a worker answers for pushes that find their bit down: the jobs that they were called for are gone.
  bool const nobody = !a.wants_more.load(mo::relaxed) && a.active.load(mo::relaxed) == 0;
  if (nobody && (promised ? a.raise(attention_wake) : a.have_enqueues_ask())) {
    os::heavy_fence();  // [S2]
    note_demand(a);
  }
  a.advertised.store(a.market_state.wanted != 0, mo::relaxed);
}

void market::note_demand(arena& a) noexcept {
  bool const mandatory = depends_on_workers(a);
  allotment_.want(a, a.concurrency() > a.reserved() || mandatory ? a.worker_seats() : 0, mandatory);
}

unsigned market::places() const noexcept {
  unsigned const most = limit_ - std::min(limit_, withdrawn_);
  if (load_.threads() < 2) return most;
  unsigned const taken = load_.processors(os::now_ns());
  // Whoever allows more threads than there are processors wants them beside the busy ones.
  unsigned const processors = std::max(os::available_cpus() - std::min(os::available_cpus(), withdrawn_), most + 1);
  return std::min(most, processors - std::min(taken, processors));
}

// The arena that the next worker goes to; on a visit the one with work whose last visit is longest ago. A visit takes a
// processor from a busy thread, but the limit holds for it, too.
arena* market::next_to_visit() noexcept {
  arena* best = allotment_.neediest();
  if (best != nullptr || !visit_ || allotment_.active() >= limit_) return best;
  allotment_.for_each([&](arena& a) {
    if (!a.has_visible_work()) return;
    if (best == nullptr || a.market_state.visited < best->market_state.visited) best = &a;
  });
  visit_ = best != nullptr;
  if (best != nullptr) best->market_state.visited = ++visits_;
  return best;
}

}  // namespace ashlar::sched
