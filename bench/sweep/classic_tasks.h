// SPDX-License-Identifier: Apache-2.0
// TBB 2020's task class: a tree of tasks that wait for their children, that name a continuation, or that go on as one
// of their children.
#pragma once

#include "sweep.h"
#include "tasks.h"

#include <tbb/task.h>

#include <vector>

namespace sweep {

class blocking_task : public tbb::task {
 public:
  explicit blocking_task(int depth) : depth_(depth) {}
  tbb::task* execute() override {
    if (depth_ == 0) {
      body();
      return nullptr;
    }
    set_ref_count(3);
    spawn(*new (allocate_child()) blocking_task(depth_ - 1));
    spawn_and_wait_for_all(*new (allocate_child()) blocking_task(depth_ - 1));
    return nullptr;
  }

 private:
  int depth_;
};

template <bool Recycles>
class continuing_task : public tbb::task {
 public:
  explicit continuing_task(int depth) : depth_(depth) {}
  tbb::task* execute() override {
    if (depth_ == 0) {
      body();
      return nullptr;
    }
    tbb::empty_task& next = *new (allocate_continuation()) tbb::empty_task;
    next.set_ref_count(2);
    spawn(*new (next.allocate_child()) continuing_task(depth_ - 1));
    if (!Recycles) return new (next.allocate_child()) continuing_task(depth_ - 1);
    recycle_as_child_of(next);
    --depth_;
    return this;
  }

 private:
  int depth_;
};

template <typename Task>
long tree_of_tasks(long units) {
  int const depth = depth_of(units);
  tbb::task::spawn_root_and_wait(*new (tbb::task::allocate_root()) Task(depth));
  return 1L << depth;
}

inline void add_classic_tasks(std::vector<site>& to) {
  to.push_back({"task-blocking", tree_of_tasks<blocking_task>});
  to.push_back({"task-continuing", tree_of_tasks<continuing_task<false>>});
  to.push_back({"task-recycled", tree_of_tasks<continuing_task<true>>});
}

}  // namespace sweep
