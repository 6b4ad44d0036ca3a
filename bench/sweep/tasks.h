// SPDX-License-Identifier: Apache-2.0
// Groups, parallel_invoke, arenas, enqueued and suspended tasks.
#pragma once

#include "sweep.h"

#include <tbb/parallel_invoke.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace sweep {

inline int depth_of(long units) {
  int depth = 6;
  while (2L << depth <= units) ++depth;
  return depth;
}

inline void invoke_tree(int depth) {
  if (depth == 0) return body();
  tbb::parallel_invoke([=] { invoke_tree(depth - 1); }, [=] { invoke_tree(depth - 1); });
}

inline void group_tree(int depth) {
  if (depth == 0) return body();
  tbb::task_group g;
  g.run([=] { group_tree(depth - 1); });
  group_tree(depth - 1);
  g.wait();
}

#if TBB_INTERFACE_VERSION < 12000
template <typename Function>
class enqueued_task : public tbb::task {
 public:
  explicit enqueued_task(Function const& function) : function_(function) {}
  tbb::task* execute() override {
    function_();
    return nullptr;
  }

 private:
  Function function_;
};
template <typename Function>
void enqueue(Function const& function) {
  tbb::task::enqueue(*new (tbb::task::allocate_root()) enqueued_task<Function>(function));
}
#else
template <typename Function>
void enqueue(Function const& function) {
  tbb::this_task_arena::enqueue(function);
}
#endif

// A wait of the thread that enqueues: the tasks run in its arena, its own thread among those that run them.
inline void enqueue_here(long n) {
  std::atomic<long> left{n};
  for (long i = 0; i < n; ++i) {
    enqueue([&left] {
      body();
      left.fetch_sub(1, std::memory_order_release);
    });
  }
  tbb::task_group g;
  while (left.load(std::memory_order_acquire) != 0) {
    g.run_and_wait([] {});
    std::this_thread::yield();
  }
}

// The enqueuing thread has no place in the arena.
inline void enqueue_there(tbb::task_arena& arena, long n) {
  std::atomic<long> left{n};
  for (long i = 0; i < n; ++i) {
    arena.enqueue([&left] {
      body();
      left.fetch_sub(1, std::memory_order_release);
    });
  }
  while (left.load(std::memory_order_acquire) != 0) std::this_thread::yield();
}

inline void add_groups(std::vector<site>& to) {
  to.push_back({"invoke-2", [](long n) {
                  for (long i = 0; i < n; i += 2) tbb::parallel_invoke([] { body(); }, [] { body(); });
                  return (n + 1) / 2 * 2;
                }});
  to.push_back({"invoke-tree", [](long n) {
                  invoke_tree(depth_of(n));
                  return 1L << depth_of(n);
                }});
  to.push_back({"group-2", [](long n) {
                  for (long i = 0; i < n; i += 2) {
                    tbb::task_group g;
                    g.run([] { body(); });
                    body();
                    g.wait();
                  }
                  return (n + 1) / 2 * 2;
                }});
  to.push_back({"group-flat", [](long n) {
                  tbb::task_group g;
                  for (long i = 0; i < n; ++i) g.run([] { body(); });
                  g.wait();
                  return n;
                }});
  to.push_back({"group-tree", [](long n) {
                  group_tree(depth_of(n));
                  return 1L << depth_of(n);
                }});
}

#if TBB_INTERFACE_VERSION >= 12000
inline void suspended(long n) {
  tbb::task_group g;
  for (long i = 0; i < n; ++i) {
    g.run([] {
      tbb::task::suspend([](tbb::task::suspend_point here) { tbb::task::resume(here); });
      body();
    });
  }
  g.wait();
}
#endif

inline void add_arenas(std::vector<site>& to, int threads) {
  to.push_back({"enqueue", [](long n) {
                  enqueue_here(n);
                  return n;
                }});
  auto const there = std::make_shared<tbb::task_arena>(threads, 0);
  auto const first = std::make_shared<tbb::task_arena>(threads), second = std::make_shared<tbb::task_arena>(threads);
  if (threads > 1) {  // with one thread there is no worker
    to.push_back({"enqueue-outside", [=](long n) {
                    enqueue_there(*there, n);
                    return n;
                  }});
  }
  to.push_back({"arenas-in-turn", [=](long n) {
                  auto const loop = [] { tbb::parallel_for(0L, 16L, [](long) { body(); }); };
                  for (long i = 0; i < n; i += 32) {
                    first->execute(loop);
                    second->execute(loop);
                  }
                  return (n + 31) / 32 * 32;
                }});
#if TBB_INTERFACE_VERSION >= 12000
  to.push_back({"suspend", [](long n) {
                  suspended(n);
                  return n;
                }});
#endif
}

}  // namespace sweep
