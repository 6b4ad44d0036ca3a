// SPDX-License-Identifier: Apache-2.0
// parallel_for: numbers of iterations, costs, ranges, partitioners, and loops in loops.
#pragma once

#include "scenario.h"

#include <tbb/blocked_range2d.h>
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

namespace threads {

inline outcome loop_over(team& t, costs seconds) {
  sleeping_work work(std::move(seconds));
  return inside(t, work, [&] { tbb::parallel_for(0, work.size(), [&](int i) { work(i); }); });
}

inline outcome one_iteration_each(team& t) { return loop_over(t, even_costs(t.size(), one_each)); }
inline outcome fifty_each(team& t) { return loop_over(t, even_costs(50 * t.size(), 0.002)); }
inline outcome one_and_a_half_each(team& t) { return loop_over(t, even_costs(t.size() * 3 / 2, one_each)); }
inline outcome one_is_long(team& t) { return loop_over(t, one_long_cost(8 * t.size(), share_of_eight, t.size())); }
inline outcome costs_rise(team& t) { return loop_over(t, rising_costs(8 * t.size(), share_of_eight)); }
inline outcome skewed(team& t) { return loop_over(t, skewed_costs(8 * t.size(), share_of_eight)); }
inline outcome at_random(team& t) { return loop_over(t, random_costs(8 * t.size(), share_of_eight)); }

inline outcome two_dimensions(team& t) {
  sleeping_work work(even_costs(8 * t.size(), share_of_eight));
  return inside(t, work, [&] {
    tbb::parallel_for(tbb::blocked_range2d<int>(0, t.size(), 0, 8), [&](tbb::blocked_range2d<int> const& part) {
      for (int i = part.rows().begin(); i < part.rows().end(); ++i) {
        for (int k = part.cols().begin(); k < part.cols().end(); ++k) work(8 * i + k);
      }
    });
  });
}

template <typename Partitioner>
outcome with_partitioner(team& t) {
  sleeping_work work(even_costs(t.size(), one_each));
  return inside(t, work, [&] { tbb::parallel_for(0, work.size(), [&](int i) { work(i); }, Partitioner()); });
}

// The second loop of two with one partitioner: by then every iteration has a thread of its own.
inline outcome affinity(team& t) {
  sleeping_work first(even_costs(t.size(), 0.010));
  sleeping_work second(even_costs(t.size(), one_each));
  tbb::affinity_partitioner same;
  auto loop = [&](sleeping_work& work) {
    return makespan_inside(t, [&] { tbb::parallel_for(0, work.size(), [&](int i) { work(i); }, same); });
  };
  loop(first);
  double const makespan = loop(second);
  return outcome_of(second, makespan, second.ideal(t.size()), first.each_ran_once());
}

inline outcome loops_in_a_loop(team& t) {
  int const outer = t.size() < 8 ? 2 : t.size() / 4;
  sleeping_work work(even_costs(8 * outer, one_each / 2));
  return inside(t, work, [&] {
    tbb::parallel_for(0, outer, [&](int i) { tbb::parallel_for(8 * i, 8 * i + 8, [&](int k) { work(k); }); });
  });
}

inline outcome group_of_loops(team& t) {
  int const each = t.size() < 4 ? 2 : t.size() / 2;
  sleeping_work work(even_costs(4 * each, one_each / 2));
  return inside(t, work, [&] {
    tbb::task_group group;
    for (int loop = 0; loop < 4; ++loop) {
      group.run([&work, loop, each] { tbb::parallel_for(each * loop, each * loop + each, [&](int i) { work(i); }); });
    }
    group.wait();
  });
}

inline scenarios loop_scenarios() {
  return {
      {"loop", "parallel_for, T iterations", one_iteration_each},
      {"loop-50", "parallel_for, 50 T iterations of 2 ms", fifty_each},
      {"loop-1.5", "parallel_for, 1.5 T iterations", one_and_a_half_each},
      {"loop-long", "parallel_for, 8 T iterations, one is long", one_is_long},
      {"loop-rising", "parallel_for, 8 T iterations, rising costs", costs_rise},
      {"loop-skewed", "parallel_for, 8 T iterations, the first eighth long", skewed},
      {"loop-random", "parallel_for, 8 T iterations, random costs", at_random},
      {"loop-2d", "parallel_for over blocked_range2d of T x 8", two_dimensions},
      {"loop-simple", "parallel_for, T iterations, simple_partitioner", with_partitioner<tbb::simple_partitioner>},
      {"loop-static", "parallel_for, T iterations, static_partitioner", with_partitioner<tbb::static_partitioner>},
      {"loop-affinity", "parallel_for, T iterations, affinity_partitioner", affinity},
      {"nested", "parallel_for over T/4 of parallel_for over 8", loops_in_a_loop},
      {"group-of-loops", "task_group of 4 parallel_for over T/2", group_of_loops},
  };
}

}  // namespace threads
