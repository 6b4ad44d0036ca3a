// SPDX-License-Identifier: Apache-2.0
#include "sched/market/allotment.h"

#include <algorithm>
#include <utility>

namespace ashlar::inline v1::sched {

namespace {

bool lists(arena const& a) noexcept { return a.market_state.wanted != 0 || a.active.load(mo::relaxed) != 0; }

bool comes_first(arena const& a) noexcept { return a.market_state.mandatory && a.market_state.wanted != 0; }

unsigned beyond_first(arena const& a) noexcept { return a.market_state.wanted - comes_first(a); }

// Whether the arena has jobs that only workers can run.
bool depends_on_workers(arena& a) noexcept { return a.abandoned.load(mo::relaxed) || a.enqueued.has_jobs(); }

}  // namespace

allotment::arenas& allotment::list_of(level& l, arena const& a) noexcept {
  if (a.active.load(mo::relaxed) != 0) return l.staffed;
  return comes_first(a) ? l.urgent : l.waiting;
}

// Takes the arena out of the sums, changes it, and puts it back. The arena keeps its turn in a list if the list stays
// the same.
template <typename Change>
void allotment::update(arena& a, Change const& change) noexcept {
  level& l = level_of(a);
  arenas* const before = lists(a) ? &list_of(l, a) : nullptr;
  l.mandatory -= comes_first(a);
  l.demand -= beyond_first(a);
  change();
  l.mandatory += comes_first(a);
  l.demand += beyond_first(a);
  arenas* const after = lists(a) ? &list_of(l, a) : nullptr;
  if (before != after) {
    if (before != nullptr) before->remove(a);
    if (after != nullptr) after->add(a);
  }
  count_unmet(a);
}

void allotment::count_unmet(arena& a) noexcept {
  bool const now = a.market_state.wanted > a.active.load(mo::relaxed);
  if (a.wants_more.load(mo::relaxed) == now) return;
  a.wants_more.store(now, mo::relaxed);
  unmet_.store(unmet_.load(mo::relaxed) + (now ? 1u : ~0u), mo::relaxed);
}

void allotment::want(arena& a, unsigned workers) noexcept { want(a, workers, depends_on_workers(a)); }

void allotment::want(arena& a, unsigned workers, bool mandatory) noexcept {
  if (a.market_state.wanted == workers && a.market_state.mandatory == mandatory) return;
  update(a, [&] {
    a.market_state.wanted = workers;
    a.market_state.mandatory = mandatory;
  });
}

void allotment::update_demand(arena& a) noexcept {
  bool const mandatory = depends_on_workers(a);
  want(a, a.concurrency() > a.reserved() || mandatory ? a.worker_slots() : 0, mandatory);
}

void allotment::demand(arena& a) noexcept {
  // The wish may be gone by now, or the jobs for which this was called.
  auto const relied = a.wants_more.load(mo::relaxed) ? arena::pushes::all : arena::pushes::enqueued;
  update_demand(a);
  if (a.restore_bits(relied)) update_demand(a);
  a.advertised.store(a.market_state.wanted != 0, mo::relaxed);
}

void allotment::arrive(arena& a) noexcept {
  update(a, [&] { a.active.fetch_add(1, mo::relaxed); });
  ++active_;
  level& l = level_of(a);
  ++l.active;
  share_out(l);
}

void allotment::depart(arena& a) noexcept {
  update(a, [&] { a.active.fetch_sub(1, mo::relaxed); });
  --active_;
  --level_of(a).active;
}

void allotment::forget(arena& a) noexcept {
  unsigned const gone = a.active.load(mo::relaxed);
  update(a, [&] {
    a.active.store(0, mo::relaxed);
    a.market_state.wanted = 0;
  });
  active_ -= gone;
  level_of(a).active -= gone;
}

void allotment::divide(unsigned places) noexcept {
  places_ = places;
  unsigned left = places;
  for (int priority = arena::priority_levels; priority-- > 0;) {
    level& l = levels_[priority];
    l.first = std::min(l.mandatory, left);
    left -= l.first;
    l.supply = static_cast<unsigned>(std::min<std::uint64_t>(l.demand, left));
    left -= l.supply;
    share_out(l);
  }
}

namespace {

// Each arena gets one worker, as far as the workers go.
struct first_round {
  unsigned first, rest;  // for arenas that get a worker first; for others
  bool no_places;

  unsigned share_of(arena const& a) noexcept {
    if (comes_first(a) && first != 0) {
      --first;
      return 1;
    }
    if (a.market_state.wanted != 0 && rest != 0) {
      --rest;
      return 1;
    }
    return comes_first(a) && no_places;  // enqueued jobs run even when the limit leaves no worker at all
  }
};

}  // namespace

// Gives the arenas with workers their shares: one to each as far as they go, so that nobody is sent away for an arena
// that could as well wait, and the rest in proportion. What rounding leaves over is for those who wait, if there are
// any.
void allotment::share_out(level& l) noexcept {
  first_round round{l.first, l.supply, places_ == 0};
  l.staffed.for_each([&](arena& a) { round.share_of(a); });
  l.first_left = round.first;
  unsigned left = round.rest;
  round = {l.first, l.supply, places_ == 0};
  bool const others_wait = !l.urgent.empty() || !l.waiting.empty();
  std::uint64_t carry = 0;
  l.staffed.for_each([&](arena& a) {
    unsigned share = round.share_of(a);
    if (left != 0 && a.market_state.wanted > share) {
      std::uint64_t const exact = std::uint64_t{beyond_first(a)} * l.supply + carry;
      carry = others_wait ? 0 : exact % l.demand;
      auto const whole = static_cast<unsigned>(exact / l.demand) + comes_first(a);
      unsigned const more = std::min(whole - std::min(whole, share), left);
      left -= more;
      share += more;
    }
    grant(a, share);
  });
}

void allotment::grant(arena& a, unsigned share) noexcept {
  share += a.deputies.load(mo::relaxed);
  a.allotted.store(share, mo::relaxed);
  bool const recall = a.active.load(mo::relaxed) > share;
  if (std::exchange(a.market_state.recalls, recall) == recall) return;
  recall ? static_cast<void>(a.raise(attention_recall)) : a.lower(attention_recall);
}

unsigned allotment::vacancies() const noexcept {
  unsigned const most = std::max(places_, 1u);
  if (active_ >= most) return 0;
  unsigned found = 0;
  for (level const& l : levels_) {
    found += l.missing();
    if (places_ == 0 && !l.urgent.empty()) found = 1;
  }
  return std::min(found, most - active_);
}

unsigned allotment::level::share_of(arena const& a) const noexcept {
  return static_cast<unsigned>((std::uint64_t{beyond_first(a)} * supply + demand - 1) / demand);
}

// The arena that lacks most workers; among those without any only the one that has waited longest is looked at.
arena* allotment::level::neediest() const noexcept {
  if (first_left != 0 && !urgent.empty()) return urgent.front();
  arena* best = nullptr;
  unsigned most = 0;
  arena* const next = waiting.empty() ? urgent.front() : waiting.front();
  if (next != nullptr && supply != 0) {
    best = next;
    most = share_of(*next);
  }
  staffed.for_each([&](arena& a) {
    unsigned const active = a.active.load(mo::relaxed);
    unsigned const allotted = a.allotted.load(mo::relaxed);
    if (allotted <= active || allotted - active <= most) return;
    best = &a;
    most = allotted - active;
  });
  return best;
}

arena* allotment::neediest() const noexcept {
  if (vacancies() == 0) return nullptr;
  for (int priority = arena::priority_levels; priority-- > 0;) {
    level const& l = levels_[priority];
    if (places_ == 0) {
      if (!l.urgent.empty()) return l.urgent.front();
    } else if (l.missing() != 0) {
      if (arena* const found = l.neediest()) return found;
    }
  }
  return nullptr;
}

}  // namespace ashlar::inline v1::sched
