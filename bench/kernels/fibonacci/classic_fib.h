// SPDX-License-Identifier: Apache-2.0
// Fibonacci over classic tasks in the four styles of the 2007 paper.
#pragma once

#include <tbb/task.h>

#include "common/styles.h"
#include "fibonacci/serial_fib.h"

namespace kernels {

class sum_task : public tbb::task {
 public:
  explicit sum_task(long* sum) : sum_(sum) {}

  tbb::task* execute() override {
    *sum_ = x + y;
    return nullptr;
  }

  long x = 0;
  long y = 0;

 private:
  long* sum_;
};

template <style Style>
class fib_task : public tbb::task {
 public:
  fib_task(long n, long cutoff, long* sum) : n_(n), cutoff_(cutoff), sum_(sum) {}

  tbb::task* execute() override {
    if (n_ < cutoff_) {
      *sum_ = serial_fib(n_);
      return nullptr;
    }
    if constexpr (Style == style::blocking) {
      return fork_and_wait();
    } else {
      return fork_and_leave();
    }
  }

 private:
  tbb::task* fork_and_wait() {
    long x, y;
    fib_task& a = *new (allocate_child()) fib_task(n_ - 1, cutoff_, &x);
    fib_task& b = *new (allocate_child()) fib_task(n_ - 2, cutoff_, &y);
    set_ref_count(3);
    spawn(b);
    spawn_and_wait_for_all(a);
    *sum_ = x + y;
    return nullptr;
  }

  tbb::task* fork_and_leave() {
    sum_task& join = *new (allocate_continuation()) sum_task(sum_);
    fib_task& b = *new (join.allocate_child()) fib_task(n_ - 1, cutoff_, &join.y);
    if constexpr (Style == style::recycling) {
      recycle_as_child_of(join);
      n_ -= 2;
      sum_ = &join.x;
      join.set_ref_count(2);
      spawn(b);
      return this;
    } else {
      fib_task& a = *new (join.allocate_child()) fib_task(n_ - 2, cutoff_, &join.x);
      join.set_ref_count(2);
      spawn(b);
      if constexpr (Style == style::bypass) {
        return &a;
      }
      spawn(a);
      return nullptr;
    }
  }

  long n_;
  long cutoff_;
  long* sum_;
};

template <style Style>
long classic_fib_in_style(long n, long cutoff) {
  long sum = 0;
  tbb::task::spawn_root_and_wait(*new (tbb::task::allocate_root()) fib_task<Style>(n, cutoff, &sum));
  return sum;
}

inline long classic_fib(style s, long n, long cutoff) {
  switch (s) {
    case style::blocking:
      return classic_fib_in_style<style::blocking>(n, cutoff);
    case style::continuation:
      return classic_fib_in_style<style::continuation>(n, cutoff);
    case style::bypass:
      return classic_fib_in_style<style::bypass>(n, cutoff);
    case style::recycling:
      return classic_fib_in_style<style::recycling>(n, cutoff);
  }
  return -1;
}

}  // namespace kernels
