// SPDX-License-Identifier: Apache-2.0
// What a scenario is, and how its makespan is measured: the time from its begin to its end, divided by the time that
// no schedule can undercut.
#pragma once

#include "sleeping_work.h"
#include "team.h"

#include <vector>

namespace threads {

struct outcome {
  double value = 0;    // makespan / ideal, unless the scenario tells otherwise
  bool right = false;  // every iteration ran once, and what was computed is right
  int at_once = 0;     // the most bodies that slept at the same time
};

struct scenario {
  char const* name;
  char const* what;
  outcome (*run)(team&);
};

inline outcome outcome_of(sleeping_work const& work, double makespan, double ideal, bool right = true) {
  return {makespan / ideal, right && work.each_ran_once(), work.most_at_once()};
}

// Runs f in the team's arena, whose threads are there and idle.
template <typename F>
double makespan_inside(team& t, F const& f) {
  t.warm();
  double begin = 0, end = 0;
  t.arena().execute([&] {
    begin = bench::wall_now();
    f();
    end = bench::wall_now();
  });
  return end - begin;
}

// The common case: f uses the work's iterations.
template <typename F>
outcome inside(team& t, sleeping_work& work, F const& f) {
  double const makespan = makespan_inside(t, f);
  return outcome_of(work, makespan, work.ideal(t.size()));
}

// Sleeps that are long beside what a thread needs to wake up.
constexpr double one_each = 0.040;  // where each thread has one or two iterations
constexpr double share_of_eight = 0.005;

using scenarios = std::vector<scenario>;

}  // namespace threads
