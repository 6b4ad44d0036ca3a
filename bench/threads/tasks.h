// SPDX-License-Identifier: Apache-2.0
// Single tasks: groups, trees, enqueued ones, suspended ones.
#pragma once

#include "countdown.h"
#include "scenario.h"

#include <tbb/parallel_invoke.h>
#include <tbb/task_group.h>
#if TBB_INTERFACE_VERSION >= 12000
#include "alarm.h"

#include <tbb/task.h>
#endif

namespace threads {

inline outcome group(team& t) {
  sleeping_work work(even_costs(t.size(), one_each));
  return inside(t, work, [&] {
    tbb::task_group tasks;
    for (int i = 0; i < work.size(); ++i) tasks.run([&work, i] { work(i); });
    tasks.wait();
  });
}

inline void invoke_tree(sleeping_work& work, int begin, int end) {
  if (end - begin == 1) {
    work(begin);
    return;
  }
  int const middle = begin + (end - begin) / 2;
  tbb::parallel_invoke([&] { invoke_tree(work, begin, middle); }, [&] { invoke_tree(work, middle, end); });
}
inline outcome invoke(team& t) {
  sleeping_work work(even_costs(t.size(), one_each));
  return inside(t, work, [&] { invoke_tree(work, 0, work.size()); });
}

// The main thread stays outside, so one thread fewer than the team's works.
inline outcome enqueue(team& t, int each, double seconds) {
  int const workers = t.size() - 1;
  sleeping_work work(even_costs(each * workers, seconds));
  countdown left(work.size());
  t.warm();
  double const begin = bench::wall_now();
  for (int i = 0; i < work.size(); ++i) {
    t.arena().enqueue([&work, &left, i] {
      work(i);
      left.one_less();
    });
  }
  left.wait();
  return outcome_of(work, bench::wall_now() - begin, work.ideal(workers));
}
inline outcome enqueue_one_each(team& t) { return enqueue(t, 1, one_each); }
inline outcome enqueue_eight_each(team& t) { return enqueue(t, 8, share_of_eight); }

#if TBB_INTERFACE_VERSION >= 12000
// Every task suspends itself at once, is resumed after a while, and works only then.
inline outcome suspend(team& t) {
  constexpr double apart = 0.020;
  sleeping_work work(even_costs(8 * t.size(), share_of_eight));
  alarm clock;
  double const makespan = makespan_inside(t, [&] {
    tbb::task_group tasks;
    for (int i = 0; i < work.size(); ++i) {
      tasks.run([&work, &clock, i] {
        tbb::task::suspend([&clock](tbb::task::suspend_point point) {
          clock.call_at(bench::wall_now() + apart, [point] { tbb::task::resume(point); });
        });
        work(i);
      });
    }
    tasks.wait();
  });
  return outcome_of(work, makespan, apart + work.ideal(t.size()));
}
#endif

inline scenarios task_scenarios() {
  return {
      {"group", "task_group of T", group},
      {"invoke", "tree of parallel_invoke, T leaves", invoke},
      {"enqueue", "enqueue of T - 1", enqueue_one_each},
      {"enqueue-8", "enqueue of 8 (T - 1)", enqueue_eight_each},
#if TBB_INTERFACE_VERSION >= 12000
      {"suspend", "8 T tasks that are suspended for 20 ms", suspend},
#endif
  };
}

}  // namespace threads
