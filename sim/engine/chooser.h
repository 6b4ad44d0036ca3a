// SPDX-License-Identifier: Apache-2.0
// A thief's choice of victims: the runtime's selector, or one of the simulator's own policies. What the choice costs
// is counted by the view: each deque whose occupancy it reads.
#pragma once

#include "engine/policy.h"

namespace ashlar::sim {

// View: what sched::victim_selector wants, and unsigned congestion(i), the number of thieves that are at i.
class chooser : public sched::victim_selector {
 public:
  template <typename View>
  unsigned next(victim_choice const& c, View const& view) noexcept {
    if (c.kind == victim_kind::runtime) return victim_selector::next(c.runtime, view);
    unsigned const n = view.size();
    if (n < 2) return none;
    switch (c.kind) {
      case victim_kind::oracle:
        return least_crowded(view, n);
      case victim_kind::scan1:
      case victim_kind::steal1:
      case victim_kind::logged:
        // The runtime's occupancy policy; only its cost differs.
        return victim_selector::next(sched::victim_policy::occupancy, view);
      case victim_kind::p2c:
        return tries_++ < n ? fuller_of_two(view, n) : finish();
      default:
        return weighted(view, n);
    }
  }
  // So many rounds that found nothing have been passed over.
  void skip(unsigned rounds) noexcept { empty_rounds_ += rounds; }

 private:
  template <typename View>
  unsigned least_crowded(View const& view, unsigned n) noexcept {
    unsigned best = none;
    for (unsigned i = 0; i < n; ++i) {
      if (i == view.self() || view.occupancy(i) == 0) continue;
      if (best == none || view.congestion(i) < view.congestion(best)) best = i;
    }
    return best != none && tries_++ < n ? best : finish();
  }

  template <typename View>
  unsigned fuller_of_two(View const& view, unsigned n) noexcept {
    unsigned const a = random_other(view, n);
    unsigned const b = random_other(view, n);
    return view.occupancy(b) > view.occupancy(a) ? b : a;
  }

  // A ring at distance d has the weight 1/d^2, d = 1, 2, 3; within it all are equal.
  template <typename View>
  unsigned weighted(View const& view, unsigned n) noexcept {
    constexpr unsigned weight[] = {36, 9, 4};
    if (tries_++ == 0 && last_ < n && last_ != view.self()) return last_;
    if (tries_ > n) return finish();
    unsigned total = 0;
    for (unsigned d = 0; d < 3; ++d) total += view.ring_size(d) != 0 ? weight[d] : 0;
    unsigned draw = view.random() % total;
    unsigned d = 0;
    for (;; ++d) {
      unsigned const w = view.ring_size(d) != 0 ? weight[d] : 0;
      if (draw < w) break;
      draw -= w;
    }
    return view.ring_member(d, view.random() % view.ring_size(d));
  }
};

}  // namespace ashlar::sim
