// SPDX-License-Identifier: Apache-2.0
// Victim selection: which deque a thief tries next. Pure functions of a View, compiled unchanged into the
// simulator; every policy finds the same jobs, only in another order.
//
// A View offers: unsigned size() (slots in use), unsigned self(), long occupancy(i) (racy job count),
// unsigned distance(i) (0 is nearest), bool visited(i) (another thief is there, as far as is known), and
// std::uint32_t random() (a fresh random number).
//
// A round is a sequence of choices that ends with `none`; after a round without success the thief has looked
// everywhere (or often enough, for `random`) and may conclude that the arena is out of work.
//
// Sources: random and its 100 failures: TBB 4.1 as described by Iordan et al. 2015, section 3.1; pseudo_random:
// section 3.3; occupancy: section 3.4 and Contreras & Martonosi 2008; hybrid: Iordan et al., section 7. by_size, the
// default: distance in small arenas, occupancy in large ones (decision record 9).
#pragma once

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

enum class victim_policy : unsigned { by_size, distance, random, pseudo_random, occupancy, tbb41, hybrid };
inline constexpr char const* victim_policy_names[] = {"by_size",   "distance", "random", "pseudo_random",
                                                      "occupancy", "tbb41",    "hybrid"};

class victim_selector {
 public:
  static constexpr unsigned none = ~0u;
  static constexpr unsigned tbb41_failures = 100;  // a worker leaves its arena after that many
  static constexpr unsigned most_swept = 8;        // slots up to which hybrid is pseudo-random
  static constexpr unsigned large = 16;            // slots from which on by_size goes by occupancy

  // The next victim of this round, or none when the round is over.
  template <typename View>
  unsigned next(victim_policy policy, View const& view) noexcept {
    unsigned const n = view.size();
    if (n < 2) return none;
    switch (policy) {
      case victim_policy::random:
        return tries_++ < n ? random_other(view, n) : finish();
      case victim_policy::tbb41:
        return tries_++ < tbb41_failures ? random_other(view, n) : finish();
      case victim_policy::occupancy:
        return fullest(view, n);
      case victim_policy::hybrid:
        return n <= most_swept ? sweep(view, n) : fullest(view, n);
      case victim_policy::pseudo_random:
        return sweep(view, n);
      case victim_policy::by_size:
        if (n >= large) return fullest(view, n);
        break;
      case victim_policy::distance:
        break;
    }
    return nearest(view, n);
  }

  // Whether thieves tell each other where they are.
  static constexpr bool announces_visits(victim_policy policy, unsigned slots) noexcept {
    return policy == victim_policy::occupancy || (policy == victim_policy::hybrid && slots > most_swept) ||
           (policy == victim_policy::by_size && slots >= large);
  }
  // Whether the thief leaves victims alone that others visit.
  bool minds_visits() const noexcept { return empty_rounds_ % 32 != 31; }
  // The victim of the last theft, or none.
  unsigned last() const noexcept { return last_; }
  // Tells the outcome of the last choice. A success ends the round.
  void stolen(unsigned victim) noexcept {
    last_ = victim;
    tries_ = 0;
    empty_rounds_ = 0;
  }

 protected:
  // For the simulator, too (sim/engine/chooser.h).
  unsigned finish() noexcept {
    tries_ = 0;
    return none;
  }

  template <typename View>
  static unsigned random_other(View const& view, unsigned n) noexcept {
    unsigned const pick = view.random() % (n - 1);
    return pick < view.self() ? pick : pick + 1;
  }

  unsigned tries_ = 0;
  unsigned last_ = none;
  unsigned empty_rounds_ = 0;

 private:
  // First a random one, then the others in sequence.
  template <typename View>
  unsigned sweep(View const& view, unsigned n) noexcept {
    if (tries_ == 0) {
      ++tries_;
      return position_ = random_other(view, n);
    }
    while (tries_++ < n) {
      position_ = position_ + 1 == n ? 0 : position_ + 1;
      if (position_ != view.self()) return position_;
    }
    return finish();
  }

  // The fullest deque that no other thief visits: the fullest one of all is the same for all thieves, and they would
  // flock there. A visitor may have lost its processor, so each 32nd round in a row that finds nothing minds no visits.
  // The round ends when nothing is left.
  template <typename View>
  unsigned fullest(View const& view, unsigned n) noexcept {
    unsigned best = none;
    long most = 0;
    // The walk begins at a random deque, so that thieves that find several deques equally full don't all go to the
    // same.
    unsigned const start = view.random() % n;
    for (unsigned k = 0; k < n; ++k) {
      unsigned const i = start + k < n ? start + k : start + k - n;
      long const jobs = i == view.self() ? 0 : view.occupancy(i);
      if (jobs > most && !(minds_visits() && view.visited(i))) {
        most = jobs;
        best = i;
      }
    }
    // A full deque that yields nothing (its owner or another thief was faster) doesn't hold the thief for ever.
    if (best != none && tries_++ < n) return best;
    ++empty_rounds_;
    return finish();
  }

  // The victim that gave something last time, then all others by distance from a random start: near ones first, so
  // that data stays in the caches that hold it, and never the same order for two thieves.
  template <typename View>
  unsigned nearest(View const& view, unsigned n) noexcept {
    if (tries_ == 0) {
      ++tries_;
      position_ = random_other(view, n);
      begin_ring(0);
      if (last_ < n && last_ != view.self()) return last_;
    }
    for (;;) {
      while (swept_ < n) {
        unsigned const i = position_ + swept_ < n ? position_ + swept_ : position_ + swept_ - n;
        ++swept_;
        if (i == view.self()) continue;
        unsigned const ring = view.distance(i);
        if (ring == ring_) return i;
        if (ring > ring_ && ring < next_ring_) next_ring_ = ring;
      }
      if (next_ring_ == none) break;
      begin_ring(next_ring_);
    }
    return finish();
  }

  void begin_ring(unsigned distance) noexcept {
    ring_ = distance;
    next_ring_ = none;
    swept_ = 0;
  }

  unsigned position_ = 0;
  unsigned swept_ = 0;
  unsigned ring_ = 0;
  unsigned next_ring_ = none;  // the next distance that has a victim: distances without any cost no sweep
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
