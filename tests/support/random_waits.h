// SPDX-License-Identifier: Apache-2.0
// Random programs of which no task waits for what waits for it, over groups, arenas, suspension, isolation, enqueued
// tasks and flow graphs, with 0 to 63 workers and limits that change. src/sched/README.md, 'Progress'.
#pragma once

#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <thread>

namespace test::random_waits {

inline constexpr int deepest = 3;

// What a step decides by. Copies are equal: a step that is taken twice decides the same.
class dice {
 public:
  explicit dice(std::uint64_t seed)
      : random_(static_cast<std::mt19937::result_type>(seed * 0x9E3779B97F4A7C15u >> 32)) {}
  int upto(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool coin() { return upto(2) == 0; }
  std::uint64_t seed() { return std::uint64_t{random_()} << 32 | random_(); }

 private:
  std::mt19937 random_;
};

inline std::atomic<long> lost{0};  // tasks that a wait did not wait for

// What a program does besides, at the step for which this becomes 0: all programs have steps before others in time.
inline std::atomic<long> steps_left{-1};
inline void (*at_last_step)() = nullptr;

inline void take(std::uint64_t seed, int depth);

inline void wait_for(tbb::task_group& g, dice& d) {
  if (d.upto(3) == 0) {
    g.wait(tbb::own_tasks_only);
  } else {
    g.wait();
  }
}

inline tbb::task_arena make_arena(dice& d) {
  int const slots = 1 + d.upto(3);
  return tbb::task_arena(slots, static_cast<unsigned>(d.upto(slots + 1)));
}

inline void require_all(std::atomic<int> const& done, int wanted) {
  if (done != wanted) ++lost;
}

// Spawns tasks of the group, which take further steps.
inline void spawn(tbb::task_group& g, std::atomic<int>& done, int n, dice& d, int depth) {
  for (int i = 0; i < n; ++i) {
    g.run([&done, seed = d.seed(), depth] {
      take(seed, depth + 1);
      ++done;
    });
  }
}

inline void in_group(dice& d, int depth) {
  tbb::task_group g;
  std::atomic<int> done{0};
  int const n = 1 + d.upto(4);
  spawn(g, done, n, d, depth);
  wait_for(g, d);
  require_all(done, n);
}

inline void in_loop(dice& d, int depth) {
  std::atomic<int> done{0};
  std::uint64_t const seed = d.seed();
  tbb::task_group_context context(tbb::task_group_context::bound, d.coin() ? tbb::task_group_context::own_tasks_only
                                                                           : tbb::task_group_context::default_traits);
  tbb::parallel_for(
      0, 4,
      [&](int i) {
        take(seed + static_cast<unsigned>(i), depth + 1);
        ++done;
      },
      tbb::simple_partitioner(), context);
  require_all(done, 4);
}

// Another thread runs the tasks and ends, or lives on outside of the library.
inline void for_foreign_thread(dice& d, int depth) {
  tbb::task_group g;
  std::mutex lock;
  std::condition_variable changed;
  bool leave = d.coin(), spawned = false;
  std::atomic<int> done{0};
  int const n = 1 + d.upto(4);
  std::thread other([&, d, depth]() mutable {
    for (int i = 0; i < n; ++i) {
      g.run([&done, seed = d.seed(), depth] {
        take(seed, depth + 1);
        ++done;
      });
    }
    std::unique_lock<std::mutex> guard(lock);
    spawned = true;
    changed.notify_all();
    changed.wait(guard, [&] { return leave; });
  });
  {
    std::unique_lock<std::mutex> guard(lock);
    changed.wait(guard, [&] { return spawned; });
  }
  wait_for(g, d);
  require_all(done, n);
  {
    std::lock_guard<std::mutex> guard(lock);
    leave = true;
  }
  changed.notify_all();
  other.join();
}

// The tasks lie in another arena than the thread that waits for them.
inline void across_arenas(dice& d, int depth) {
  tbb::task_arena other = make_arena(d);
  tbb::task_group g;
  std::atomic<int> done{0};
  int const n = 1 + d.upto(4);
  other.execute([&] { spawn(g, done, n, d, depth); });
  wait_for(g, d);
  require_all(done, n);
}

inline void in_arena(dice& d, int depth) {
  tbb::task_arena other = make_arena(d);
  std::uint64_t const seed = d.seed();
  other.execute([&] { take(seed, depth + 1); });
}

inline void enqueued(dice& d, int depth) {
  tbb::task_arena other = make_arena(d);
  tbb::task_group g;
  std::atomic<int> done{0};
  int const n = 1 + d.upto(4);
  for (int i = 0; i < n; ++i) {
    other.enqueue(g.defer([&done, seed = d.seed(), depth] {
      take(seed, depth + 1);
      ++done;
    }));
  }
  wait_for(g, d);
  require_all(done, n);
}

inline void isolated(dice& d, int depth) {
  std::uint64_t const seed = d.seed();
  tbb::this_task_arena::isolate([&] { take(seed, depth + 1); });
}

// Resumed by a task of another arena, a group's, or a thread of the program's.
inline void suspended(dice& d, int) {
  int const how = d.upto(3);
  auto other = std::make_shared<tbb::task_arena>(make_arena(d));
  auto group = std::make_shared<tbb::task_group>();
  std::thread helper;
  tbb::task::suspend([&, other, group](tbb::task::suspend_point point) {
    if (how == 0) {
      other->enqueue([point] { tbb::task::resume(point); });
    } else if (how == 1) {
      // The frame goes on as soon as the task has run.
      std::shared_ptr<tbb::task_group> const g = group;
      std::shared_ptr<tbb::task_arena> const a = other;
      a->execute([&] { g->run([point] { tbb::task::resume(point); }); });
    } else {
      std::thread([point] { tbb::task::resume(point); }).detach();
    }
  });
  group->wait();
}

inline void in_graph(dice& d, int depth) {
  tbb::flow::graph g;
  std::atomic<int> done{0};
  std::uint64_t const seed = d.seed();
  std::size_t const width = d.coin() ? tbb::flow::serial : tbb::flow::unlimited;
  tbb::flow::function_node<int, int> first(g, width, [&](int i) {
    take(seed + static_cast<unsigned>(i), depth + 1);
    return i;
  });
  tbb::flow::function_node<int, int> second(g, tbb::flow::serial, [&](int i) {
    ++done;
    return i;
  });
  tbb::flow::make_edge(first, second);
  for (int i = 0; i < 3; ++i) first.try_put(i);
  g.wait_for_all();
  require_all(done, 3);
}

inline void under_limit(dice& d, int depth) {
  static constexpr int limits[] = {1, 1, 2, 2, 3, 4, 8, 64};
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(limits[d.upto(8)]));
  take(d.seed(), depth + 1);
}

inline void invoked(dice& d, int depth) {
  std::uint64_t const a = d.seed(), b = d.seed();
  tbb::parallel_invoke([&] { take(a, depth + 1); }, [&] { take(b, depth + 1); });
}

inline void take(std::uint64_t seed, int depth) {
  dice d(seed);
  if (steps_left.load() >= 0 && steps_left.fetch_sub(1) == 0) at_last_step();
  if (depth >= deepest) return;
  static constexpr void (*steps[])(dice&, int) = {in_group, in_loop,     for_foreign_thread, across_arenas,
                                                  in_arena, enqueued,    isolated,           suspended,
                                                  in_graph, under_limit, across_arenas,      invoked};
  int const n = 1 + d.upto(2);
  for (int i = 0; i < n; ++i) {
    if (d.upto(4) != 0) steps[d.upto(12)](d, depth);
  }
}

// One program: an outermost limit, and some threads that take steps.
inline void run_program(std::uint64_t seed) {
  dice d(seed);
  static constexpr int limits[] = {1, 1, 1, 2, 2, 3, 4, 16, 64};
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(limits[d.upto(9)]));
  int const others = d.upto(3);
  std::thread threads[2];
  for (int i = 0; i < others; ++i) threads[i] = std::thread([s = d.seed()] { take(s, 0); });
  take(d.seed(), 0);
  for (int i = 0; i < others; ++i) threads[i].join();
}

}  // namespace test::random_waits
