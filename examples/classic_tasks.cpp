// SPDX-License-Identifier: Apache-2.0
// Classic tasks: continuation passing, scheduler bypass and recycling, which oneTBB no longer has. Counts the leaves
// of a tree of calls; nothing waits on a stack, so the depth of the tree is no matter.
#include <cstdio>

#include <tbb/task.h>

// Pages: tbb::task
class add_task : public tbb::task {
 public:
  explicit add_task(long* sum) : sum_(sum) {}
  tbb::task* execute() override {
    *sum_ = left + right;
    return nullptr;
  }
  long left = 0, right = 0;

 private:
  long* sum_;
};

class fib_task : public tbb::task {
 public:
  fib_task(int n, long* sum) : n_(n), sum_(sum) {}

  tbb::task* execute() override {
    if (n_ < 2) {
      *sum_ = n_;
      return nullptr;
    }
    add_task& join = *new (allocate_continuation()) add_task(sum_);
    fib_task& other = *new (join.allocate_child()) fib_task(n_ - 1, &join.right);
    recycle_as_child_of(join);
    n_ -= 2;
    sum_ = &join.left;
    join.set_ref_count(2);
    spawn(other);
    return this;  // run at once, without a detour through the pool
  }

 private:
  int n_;
  long* sum_;
};

int main() {
  long sum = 0;
  tbb::task::spawn_root_and_wait(*new (tbb::task::allocate_root()) fib_task(27, &sum));
  std::printf("fib(27) = %ld\n", sum);
  return sum == 196418 ? 0 : 1;
}
