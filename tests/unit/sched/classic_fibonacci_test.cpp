// SPDX-License-Identifier: Apache-2.0
// The four fibonacci programs of the 2007 paper, as printed there (FibContinuation, which it doesn't show, sums).
#include <tbb/task.h>
#include <tbb/task_scheduler_init.h>

#include <doctest/doctest.h>

#include <thread>

using namespace tbb;

namespace {

long const CutOff = 2;

long SerialFib(long n) { return n < 2 ? n : SerialFib(n - 1) + SerialFib(n - 2); }

class FibTask : public task {
 public:
  long const n;
  long* const sum;
  FibTask(long n_, long* sum_) : n(n_), sum(sum_) {}

  task* execute() {
    if (n < CutOff) {
      *sum = SerialFib(n);
    } else {
      long x, y;
      FibTask& a = *new (allocate_child()) FibTask(n - 1, &x);
      FibTask& b = *new (allocate_child()) FibTask(n - 2, &y);
      set_ref_count(3);
      spawn(b);
      spawn_and_wait_for_all(a);
      *sum = x + y;
    }
    return NULL;
  }
};

struct FibContinuation : public task {
  long* const sum;
  long x, y;
  explicit FibContinuation(long* sum_) : sum(sum_) {}
  task* execute() {
    *sum = x + y;
    return NULL;
  }
};

struct FibC : public task {
  long const n;
  long* const sum;
  FibC(long n_, long* sum_) : n(n_), sum(sum_) {}
  task* execute() {
    if (n < CutOff) {
      *sum = SerialFib(n);
      return NULL;
    }
    FibContinuation& c = *new (allocate_continuation()) FibContinuation(sum);
    FibC& a = *new (c.allocate_child()) FibC(n - 2, &c.x);
    FibC& b = *new (c.allocate_child()) FibC(n - 1, &c.y);
    c.set_ref_count(2);
    c.spawn(b);
    c.spawn(a);
    return NULL;
  }
};

struct FibCB : public task {
  long const n;
  long* const sum;
  FibCB(long n_, long* sum_) : n(n_), sum(sum_) {}
  task* execute() {
    if (n < CutOff) {
      *sum = SerialFib(n);
      return NULL;
    }
    FibContinuation& c = *new (allocate_continuation()) FibContinuation(sum);
    FibCB& a = *new (c.allocate_child()) FibCB(n - 2, &c.x);
    FibCB& b = *new (c.allocate_child()) FibCB(n - 1, &c.y);
    c.set_ref_count(2);
    c.spawn(b);
    return &a;
  }
};

struct FibCBR : public task {
  long n;
  long* sum;
  FibCBR(long n_, long* sum_) : n(n_), sum(sum_) {}
  task* execute() {
    if (n < CutOff) {
      *sum = SerialFib(n);
      return NULL;
    }
    FibContinuation& c = *new (allocate_continuation()) FibContinuation(sum);
    FibCBR& b = *new (c.allocate_child()) FibCBR(n - 1, &c.y);
    recycle_as_child_of(c);
    n -= 2;
    sum = &c.x;
    c.set_ref_count(2);
    c.spawn(b);
    return this;
  }
};

template <typename Fib>
long ParallelFib(long n) {
  long sum;
  Fib& a = *new (task::allocate_root()) Fib(n, &sum);
  task::spawn_root_and_wait(a);
  return sum;
}

template <typename Fib>
void compute_with(int threads) {
  std::thread([threads] {
    task_scheduler_init init(threads);
    for (int round = 0; round < 5; ++round) CHECK(ParallelFib<Fib>(19) == 4181);
  }).join();
}

}  // namespace

TEST_CASE_TEMPLATE("fibonacci in the style of the paper", Fib, FibTask, FibC, FibCB, FibCBR) {
  for (int threads : {1, 2, 8}) compute_with<Fib>(threads);
}
