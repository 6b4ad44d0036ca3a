// SPDX-License-Identifier: Apache-2.0
// Messages between MPI ranks for tasks: a task starts one, suspends itself, and goes on when it has arrived; its thread
// runs other tasks meanwhile. The main thread alone calls MPI (MPI_THREAD_FUNNELED) and does nothing else while tasks
// run.
#pragma once

#include <mpi.h>
#include <tbb/concurrent_queue.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <atomic>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

class messages {
 public:
  // For tasks: returns when what `start` has begun (MPI_Isend, MPI_Irecv ...) is complete.
  void await(std::function<void(MPI_Request*)> start) {
    tbb::task::suspend([&](tbb::task::suspend_point point) { asked_.push({std::move(start), point}); });
  }

  // For the main thread: runs f as a task and moves messages until it has returned.
  template <typename F>
  void run(F f) {
    std::atomic<bool> over{false};
    tbb::task_arena arena;
    arena.enqueue([&] {
      f();
      over = true;
    });
    while (!over) {
      wish next;
      while (asked_.try_pop(next)) {
        requests_.push_back(MPI_REQUEST_NULL);
        next.start(&requests_.back());
        points_.push_back(next.point);
      }
      if (!move()) std::this_thread::yield();
    }
    arena.terminate();
  }

 private:
  struct wish {
    std::function<void(MPI_Request*)> start;
    tbb::task::suspend_point point;
  };

  // Resumes a task whose message is complete; false if there is none.
  bool move() {
    int place = MPI_UNDEFINED, complete = 0;
    MPI_Testany(int(requests_.size()), requests_.data(), &place, &complete, MPI_STATUS_IGNORE);
    if (!complete || place == MPI_UNDEFINED) return false;
    tbb::task::suspend_point const point = points_[place];
    requests_.erase(requests_.begin() + place);
    points_.erase(points_.begin() + place);
    tbb::task::resume(point);
    return true;
  }

  tbb::concurrent_queue<wish> asked_;
  std::vector<MPI_Request> requests_;
  std::vector<tbb::task::suspend_point> points_;
};
