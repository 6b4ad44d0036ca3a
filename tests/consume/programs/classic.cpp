// SPDX-License-Identifier: Apache-2.0
// A program written for classic TBB: scheduler object, tasks with children, spellings of the classic dialect.
#include <tbb/task.h>
#include <tbb/task_scheduler_init.h>
#include <tbb/tbb_stddef.h>

#include <cstdio>

#if TBB_INTERFACE_VERSION != 11102
#error "the classic dialect reports interface version 11102"
#endif

namespace {

class fib_task : public tbb::task {
 public:
  fib_task(int n, long* sum) : n_(n), sum_(sum) {}

  tbb::task* execute() override {
    if (n_ < 2) {
      *sum_ = n_;
      return nullptr;
    }
    long left = 0;
    long right = 0;
    fib_task& a = *new (allocate_child()) fib_task(n_ - 1, &left);
    fib_task& b = *new (allocate_child()) fib_task(n_ - 2, &right);
    set_ref_count(3);
    spawn(b);
    spawn_and_wait_for_all(a);
    *sum_ = left + right;
    return nullptr;
  }

 private:
  int n_;
  long* sum_;
};

}  // namespace

int main() {
  tbb::task_scheduler_init init(2);
  long sum = 0;
  fib_task& root = *new (tbb::task::allocate_root()) fib_task(20, &sum);
  tbb::task::spawn_root_and_wait(root);
  std::printf("fib %ld version %d\n", sum, tbb::TBB_runtime_interface_version());
  return sum == 6765 && tbb::TBB_runtime_interface_version() == TBB_INTERFACE_VERSION ? 0 : 1;
}
