// SPDX-License-Identifier: Apache-2.0
// Fork-join cost of the classic task interface, fib without cutoff in two styles: blocking (the parent waits
// for two children) and CBR (continuation passing, the returned task runs next, the parent task is recycled
// as its second child). oneTBB has no tbb::task of this kind, so it is no peer here.
#include <tbb/task.h>

#include <bench/tbb_peer.h>

#include <bench/fib.h>

namespace {

class blocking_fib : public tbb::task {
 public:
  blocking_fib(int n, long* result) : n_(n), result_(result) {}

  tbb::task* execute() override {
    if (n_ < 2) {
      *result_ = n_;
      return nullptr;
    }
    long x, y;
    blocking_fib& first = *new (allocate_child()) blocking_fib(n_ - 1, &x);
    blocking_fib& second = *new (allocate_child()) blocking_fib(n_ - 2, &y);
    set_ref_count(3);
    spawn(second);
    spawn_and_wait_for_all(first);
    *result_ = x + y;
    return nullptr;
  }

 private:
  int n_;
  long* result_;
};

class sum_task : public tbb::task {
 public:
  explicit sum_task(long* result) : result_(result) {}

  tbb::task* execute() override {
    *result_ = x + y;
    return nullptr;
  }

  long x = 0;
  long y = 0;

 private:
  long* result_;
};

class recycled_fib : public tbb::task {
 public:
  recycled_fib(int n, long* result) : n_(n), result_(result) {}

  tbb::task* execute() override {
    if (n_ < 2) {
      *result_ = n_;
      return nullptr;
    }
    sum_task& sum = *new (allocate_continuation()) sum_task(result_);
    recycled_fib& other = *new (sum.allocate_child()) recycled_fib(n_ - 2, &sum.y);
    recycle_as_child_of(sum);
    n_ -= 1;
    result_ = &sum.x;
    sum.set_ref_count(2);
    spawn(other);
    return this;
  }

 private:
  int n_;
  long* result_;
};

template <typename Task>
long run_root(int n) {
  long result = -1;
  tbb::task::spawn_root_and_wait(*new (tbb::task::allocate_root()) Task(n, &result));
  return result;
}

int measure_row(bench::options const& o) {
  if (bench::is_row(o, "blocking")) {
    return bench::measure_fib(o, run_root<blocking_fib>);
  }
  if (bench::is_row(o, "cbr")) {
    return bench::measure_fib(o, run_root<recycled_fib>);
  }
  bench::usage("unknown row", o.row);
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  return bench::with_threads(o.threads, [&o] { return measure_row(o); });
}
