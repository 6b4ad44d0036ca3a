// SPDX-License-Identifier: Apache-2.0
// Several arenas and several application threads.
#pragma once

#include "countdown.h"
#include "scenario.h"

#include <deque>
#include <thread>

namespace threads {

inline void loop_in(tbb::task_arena& arena, sleeping_work& work) {
  arena.execute([&] { tbb::parallel_for(0, work.size(), [&](int i) { work(i); }); });
}

inline outcome arenas_in_turn(team& t) {
  sleeping_work first(even_costs(t.size(), one_each)), second(even_costs(t.size(), one_each));
  tbb::task_arena other(t.size());
  t.warm(other, t.size());
  t.warm();
  double const begin = bench::wall_now();
  loop_in(t.arena(), first);
  loop_in(other, second);
  double const makespan = bench::wall_now() - begin;
  return outcome_of(second, makespan, first.ideal(t.size()) + second.ideal(t.size()), first.each_ran_once());
}

// So many application threads, each with a loop in an arena of its own; they begin together. The library's threads are
// one fewer than the team's.
inline outcome side_by_side(team& t, int applications, int each, double seconds) {
  std::deque<sleeping_work> works;
  std::deque<tbb::task_arena> arenas;
  for (int a = 0; a < applications; ++a) {
    works.emplace_back(even_costs(each, seconds));
    arenas.emplace_back(t.size());
    t.warm(arenas.back(), t.size());
  }
  countdown ready(applications), go(1);
  double const sum = works[0].sum() * applications;
  std::vector<std::thread> running;
  for (int a = 0; a < applications; ++a) {
    running.emplace_back([&, a] {
      ready.one_less();
      go.wait();
      loop_in(arenas[static_cast<std::size_t>(a)], works[static_cast<std::size_t>(a)]);
    });
  }
  ready.wait();
  t.settle();
  double const begin = bench::wall_now();
  go.one_less();
  for (std::thread& thread : running) thread.join();
  double const makespan = bench::wall_now() - begin;
  outcome all{makespan / std::max(works[0].longest(), sum / (t.size() - 1 + applications)), true, 0};
  for (sleeping_work& work : works) {
    all.right = all.right && work.each_ran_once();
    all.at_once += work.most_at_once();
  }
  return all;
}
inline outcome arenas_side_by_side(team& t) { return side_by_side(t, 2, t.size() / 2, one_each); }
inline outcome two_applications(team& t) { return side_by_side(t, 2, 4 * t.size(), share_of_eight); }
inline outcome four_applications(team& t) { return side_by_side(t, 4, 2 * t.size(), share_of_eight); }

#if TBB_INTERFACE_VERSION >= 12000
// Every worker is busy while 20 tasks are enqueued in an arena of low priority and then 20 in one of high priority.
// The value is how many tasks of low priority were taken while one of high priority lay there. A task tells when it
// begins, not when it was taken, and a thread may be interrupted in between: each worker that runs none may hold a task
// of high priority that has not begun. So one lies there for certain if more have not begun than workers run none. (Who
// counts the tasks of low priority among the first 20 to begin finds one if the thread that took the last task of high
// priority was interrupted.) What keeps the workers busy lies in the arena of low priority, which they have to leave
// then, or in a third one.
template <bool InLow>
outcome priorities(team& t) {
  static constexpr int tasks = 20;
  int const workers = t.size() - 1;
  tbb::task_arena low(t.size(), 1, tbb::task_arena::priority::low);
  tbb::task_arena high(t.size(), 1, tbb::task_arena::priority::high);
  t.warm(low, t.size());
  t.warm(high, t.size());
  t.warm();
  countdown busy(workers), go(1), left(2 * tasks + workers);
  for (int i = 0; i < workers; ++i) {
    (InLow ? low : t.arena()).enqueue([&] {
      busy.one_less();
      go.wait();
      left.one_less();
    });
  }
  busy.wait();
  // The tasks of high priority that have begun, and all that run: both at the same moment.
  static constexpr int running = 1 << 16;
  std::atomic<int> progress{0}, too_early{0};
  auto give = [&](tbb::task_arena& arena, bool urgent) {
    for (int i = 0; i < tasks; ++i) {
      arena.enqueue([&, urgent] {
        int const before = progress.fetch_add(running + urgent);
        if (!urgent && tasks - before % running > workers - (before / running + 1)) too_early.fetch_add(1);
        nap(0.003);
        progress.fetch_sub(running);
        left.one_less();
      });
    }
  };
  give(low, false);
  give(high, true);
  go.one_less();
  left.wait();
  return {static_cast<double>(too_early), progress == tasks, workers};
}

// While an application thread and the workers run a loop in an arena of low priority, 20 tasks are enqueued in one of
// high priority. The value is how many of the loop's iterations workers begin before the last of the 20 tasks begins.
inline outcome priority_over_loop(team& t) {
  static constexpr int tasks = 20;
  tbb::task_arena low(t.size(), 1, tbb::task_arena::priority::low);
  tbb::task_arena high(t.size(), 1, tbb::task_arena::priority::high);
  t.warm(low, t.size());
  t.warm(high, t.size());
  sleeping_work loop(even_costs(200, 0.001));
  countdown under_way(2 * t.size()), left(tasks);
  std::atomic<int> urgent{0}, others{0};
  std::atomic<bool> given{false};
  std::thread application([&] {
    std::thread::id const self = std::this_thread::get_id();
    low.execute([&] {
      tbb::parallel_for(0, loop.size(), [&](int i) {
        under_way.one_less();
        if (std::this_thread::get_id() != self && given && urgent < tasks) others.fetch_add(1);
        loop(i);
      });
    });
  });
  under_way.wait();
  for (int i = 0; i < tasks; ++i) {
    high.enqueue([&] {
      urgent.fetch_add(1);
      nap(0.001);
      left.one_less();
    });
  }
  given = true;
  left.wait();
  application.join();
  return {static_cast<double>(others), loop.each_ran_once(), loop.most_at_once()};
}
#endif

inline scenarios arena_scenarios() {
  return {
      {"arenas-in-turn", "two arenas one after the other, parallel_for over T in each", arenas_in_turn},
      {"arenas-beside", "two arenas side by side, parallel_for over T/2 in each", arenas_side_by_side},
      {"applications-2", "two application threads, parallel_for over 4 T each", two_applications},
      {"applications-4", "four application threads, parallel_for over 2 T each", four_applications},
#if TBB_INTERFACE_VERSION >= 12000
      {"priorities", "tasks begun before 20 of higher priority, workers in another arena", priorities<false>},
      {"priorities-low", "tasks begun before 20 of higher priority, workers in their arena", priorities<true>},
      {"priorities-loop", "iterations of a loop begun before 20 tasks of higher priority", priority_over_loop},
#endif
  };
}

}  // namespace threads
