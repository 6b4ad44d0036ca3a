// SPDX-License-Identifier: Apache-2.0
// The division of the workers among the arenas: strictly by priority. Within one priority each arena whose jobs only
// workers can run gets a worker first, those that have waited longest before others, and the rest is divided in
// proportion to what the arenas can use. README.md, 'Demand'.
//
// The cost of every operation depends on the number of arenas with workers in them, not on how many wait.
// Everything under the market's lock, but for what is said to be a hint.
#pragma once

#include "sched/arena/arena_list.h"

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

class allotment {
 public:
  // The arena has work: it could use a worker for every free slot. An arena whose slots are all reserved uses one
  // worker, for jobs that only workers run.
  void demand(arena& a) noexcept;
  // The arena wants so many workers. `mandatory`: only workers can run some of its jobs; looked up by default.
  void want(arena& a, unsigned workers) noexcept;
  void want(arena& a, unsigned workers, bool mandatory) noexcept;
  void withdraw(arena& a) noexcept { want(a, 0, false); }
  // arrive: a worker is on its way to the arena. depart: a worker has left it.
  void arrive(arena& a) noexcept;
  void depart(arena& a) noexcept;
  // After a fork there is no worker in the arena, nor a wish for one.
  void forget(arena& a) noexcept;

  // Divides so many places for workers, after a change.
  void divide(unsigned places) noexcept;
  // How many workers the arenas are short of, as far as there are places. A worker that goes there may find that there
  // is no work any more; then its place is free for others. While recalled workers are still busy elsewhere and all
  // places are taken, there is none for another worker: the first that leaves takes it.
  unsigned vacancies() const noexcept;
  // The arena that the next worker goes to, or null.
  arena* neediest() const noexcept;
  unsigned active() const noexcept { return active_; }
  bool unmet() const noexcept { return unmet_.load(mo::relaxed) != 0; }

  // Arenas that want workers or have some. The call may change what the arena wants.
  template <typename Call>
  void for_each(Call const& call) const {
    for (level const& l : levels_) {
      l.staffed.for_each(call);
      l.urgent.for_each(call);
      l.waiting.for_each(call);
    }
  }
  // A hint, without the lock: does another arena want more workers than it has?
  bool unmet_beside(arena const& here) const noexcept {
    return unmet_.load(mo::relaxed) > (here.wants_more.load(mo::relaxed) ? 1u : 0u);
  }

 private:
  using arenas = arena_list<&arena_state::wanting>;

  // The arenas of one priority. Each that wants workers or has some is in one of the lists.
  struct level {
    arenas staffed;            // workers are there
    arenas urgent;             // nobody is there, and only workers can run some of the jobs
    arenas waiting;            // nobody is there
    unsigned mandatory = 0;    // arenas that get a worker first
    std::uint64_t demand = 0;  // workers wanted beyond these
    unsigned active = 0;
    // Of the last division:
    unsigned first = 0;       // arenas that get a worker first
    unsigned supply = 0;      // workers beyond these
    unsigned first_left = 0;  // of `first`, what arenas without workers get

    unsigned granted() const noexcept { return first + supply; }
    unsigned missing() const noexcept { return granted() > active ? granted() - active : 0; }
    // What an arena without workers would get.
    unsigned share_of(arena const& a) const noexcept;
    arena* neediest() const noexcept;
  };

  level& level_of(arena const& a) noexcept { return levels_[a.priority()]; }
  static arenas& list_of(level& l, arena const& a) noexcept;
  template <typename Change>
  void update(arena& a, Change const& change) noexcept;
  void count_unmet(arena& a) noexcept;
  void update_demand(arena& a) noexcept;
  void share_out(level& l) noexcept;
  static void grant(arena& a, unsigned share) noexcept;

  level levels_[arena::priority_levels];
  unsigned places_ = 0;
  unsigned active_ = 0;        // workers in all arenas
  atomic<unsigned> unmet_{0};  // arenas that want more workers than they have
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
