// SPDX-License-Identifier: Apache-2.0
// How the market divides the workers among the arenas that want some: README.md, 'Demand'. Everything under its lock.
#include "os/clock.h"
#include "os/topology.h"
#include "sched/market.h"

#include <algorithm>
#include <utility>

namespace ashlar::sched {

// An arena without wishes costs nothing until it has one.
void market::want(arena& a, unsigned workers) noexcept {
  a.market_state.wanted = workers;
  count_unmet(a);
  if (workers != 0) return wanting_.add(a);
  wanting_.remove(a);
  a.allotted.store(0, mo::relaxed);
}

void market::count_unmet(arena& a) noexcept {
  bool const now = a.market_state.wanted > a.active.load(mo::relaxed);
  if (a.wants_more.load(mo::relaxed) == now) return;
  a.wants_more.store(now, mo::relaxed);
  unmet_.store(unmet_.load(mo::relaxed) + (now ? 1u : ~0u), mo::relaxed);
}

// Gives each arena its share: strictly by priority. Within one priority each arena whose jobs only workers can run gets a
// worker first, those that have waited longest before others, and the rest is divided in proportion to demand.
void market::recompute() noexcept {
  struct level {
    std::uint64_t demand = 0;  // beyond the first workers
    unsigned first = 0;        // arenas that get one first
    unsigned supply = 0;
    std::uint64_t carry = 0;
  };
  level levels[arena::priority_levels];
  wanting_.for_each([&](arena& a) {
    level& l = levels[a.priority()];
    l.first += a.market_state.mandatory;
    l.demand += a.market_state.wanted - a.market_state.mandatory;
  });
  unsigned const most = places();
  unsigned left = most;
  for (int priority = arena::priority_levels; priority-- > 0;) {
    level& l = levels[priority];
    l.first = std::min(l.first, left);
    left -= l.first;
    l.supply = static_cast<unsigned>(std::min<std::uint64_t>(l.demand, left));
    left -= l.supply;
  }
  wanting_.for_each([&](arena& a) {
    level& l = levels[a.priority()];
    unsigned share = a.market_state.mandatory && l.first != 0;
    l.first -= share;
    if (l.demand != 0) {
      std::uint64_t const more = a.market_state.wanted - a.market_state.mandatory;
      std::uint64_t const exact = more * l.supply + l.carry;
      share += static_cast<unsigned>(exact / l.demand);
      l.carry = exact % l.demand;
    }
    // Enqueued jobs run even when the limit leaves no worker at all.
    if (most == 0 && a.market_state.mandatory) share = 1;
    a.allotted.store(share, mo::relaxed);
    bool const recall = a.active.load(mo::relaxed) > share;
    if (std::exchange(a.market_state.recalls, recall) == recall) return;
    recall ? static_cast<void>(a.raise(attention_recall)) : a.lower(attention_recall);
  });
}

// Jobs that only workers can run.
bool market::depends_on_workers(arena& a) noexcept { return a.abandoned.load(mo::relaxed) || a.enqueued.has_jobs(); }

// The arena has work: it could use a worker for every free slot. One whose slots are all reserved uses one for jobs
// that only workers run.
void market::demand(arena& a) noexcept {
  a.market_state.mandatory = depends_on_workers(a);
  want(a, a.concurrency() > a.reserved() || a.market_state.mandatory ? a.worker_seats() : 0);
  a.advertised.store(true, mo::relaxed);
}

unsigned market::places() const noexcept {
  unsigned const most = limit_ - std::min(limit_, withdrawn_);
  if (load_.threads() < 2) return most;
  unsigned const taken = load_.processors(os::now_ns());
  // Whoever allows more threads than there are processors wants them beside the busy ones.
  unsigned const processors = std::max(os::available_cpus() - std::min(os::available_cpus(), withdrawn_), most + 1);
  return std::min(most, processors - std::min(taken, processors));
}

// How many workers are the arenas short of? Perhaps not for want of work any more: a worker that goes there will find
// out, and then the places are free for others. While recalled workers are still busy elsewhere and the limit is reached,
// there is no place for another one: the first that leaves takes it.
unsigned market::vacancies() const noexcept {
  unsigned const most = std::max(places(), 1u);
  if (active_ >= most) return 0;
  unsigned found = 0;
  wanting_.for_each([&](arena& a) {
    unsigned const active = a.active.load(mo::relaxed);
    unsigned const allotted = a.allotted.load(mo::relaxed);
    if (active < allotted) found += allotted - active;
  });
  return std::min(found, most - active_);
}

// The arena of the highest priority that lacks most workers, or null.
arena* market::neediest() noexcept {
  if (vacancies() == 0) return nullptr;
  arena* best = nullptr;
  unsigned best_deficit = 0;
  wanting_.for_each([&](arena& a) {
    unsigned const active = a.active.load(mo::relaxed);
    unsigned const allotted = a.allotted.load(mo::relaxed);
    if (active >= allotted) return;
    unsigned const deficit = allotted - active;
    if (best == nullptr || a.priority() > best->priority() ||
        (a.priority() == best->priority() && deficit > best_deficit)) {
      best = &a;
      best_deficit = deficit;
    }
  });
  return best;
}

// The same; on a visit the one with work whose last visit is longest ago.
arena* market::next_to_visit() noexcept {
  arena* best = neediest();
  if (best != nullptr || !visit_) return best;
  wanting_.for_each([&](arena& a) {
    if (!a.has_visible_work()) return;
    if (best == nullptr || a.market_state.visited < best->market_state.visited) best = &a;
  });
  visit_ = best != nullptr;
  if (best != nullptr) best->market_state.visited = ++visits_;
  return best;
}

}  // namespace ashlar::sched
