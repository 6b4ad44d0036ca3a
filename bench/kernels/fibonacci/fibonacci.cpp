// SPDX-License-Identifier: Apache-2.0
// The paper's fibonacci (figure 6): a task per call down to a cutoff, serial below it. Classic tasks in four styles
// where the library has them; parallel_invoke and task_group, which every library has, beside them.
#include "common/driver.h"
#include "common/library.h"
#include "fibonacci/serial_fib.h"

#if KERNEL_CLASSIC_TASKS
#include "fibonacci/classic_fib.h"
#endif
#if __has_include(<tbb/parallel_invoke.h>)
#define KERNEL_PARALLEL_INVOKE 1
#include <tbb/parallel_invoke.h>
#else
#define KERNEL_PARALLEL_INVOKE 0
#endif
#if __has_include(<tbb/task_group.h>)
#define KERNEL_TASK_GROUP 1
#include <tbb/task_group.h>
#else
#define KERNEL_TASK_GROUP 0
#endif

namespace {

#if KERNEL_PARALLEL_INVOKE
long invoke_fib(long n, long cutoff) {
  if (n < cutoff) {
    return kernels::serial_fib(n);
  }
  long x = 0, y = 0;
  tbb::parallel_invoke([&] { x = invoke_fib(n - 1, cutoff); }, [&] { y = invoke_fib(n - 2, cutoff); });
  return x + y;
}
#endif

#if KERNEL_TASK_GROUP
long group_fib(long n, long cutoff) {
  if (n < cutoff) {
    return kernels::serial_fib(n);
  }
  long x = 0;
  tbb::task_group group;
  group.run([&] { x = group_fib(n - 1, cutoff); });
  long const y = group_fib(n - 2, cutoff);
  group.wait();
  return x + y;
}
#endif

struct problem {
  long n;
  std::vector<int> cutoffs;
};

template <typename Fib>
void measure(kernels::driver& d, std::string const& style, problem const& p, int threads, Fib fib) {
  if (!d.wanted(style)) {
    return;
  }
  long const right = kernels::fib_by_addition(p.n);
  for (int cutoff : p.cutoffs) {
    long result = 0;
    d.parallel(
        style, "cutoff " + std::to_string(cutoff), threads, [&] { result = fib(p.n, cutoff); },
        [&] { return result == right; });
  }
}

void measure_all(kernels::driver& d, problem const& p, int threads) {
#if KERNEL_CLASSIC_TASKS
  for (kernels::style s : kernels::all_styles) {
    measure(d, kernels::paper_name(s), p, threads, [s](long n, long c) { return kernels::classic_fib(s, n, c); });
  }
#endif
#if KERNEL_PARALLEL_INVOKE
  measure(d, "parallel_invoke", p, threads, invoke_fib);
#endif
#if KERNEL_TASK_GROUP
  measure(d, "task_group", p, threads, group_fib);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  kernels::driver d("fibonacci", "fib(n) by tasks, against the serial recursion", kernels::this_library());
  int n = 0;
  problem p{0, {12, 20}};
  d.option("--n", n, "which Fibonacci number (default 50; with --quick 38)", 1, 90);
  d.option("--cutoffs", p.cutoffs, "serial below these numbers (default 12,20)", 2, 90);
  d.parse(argc, argv);
  p.n = n ? n : d.quick() ? 38 : 50;
  d.parameter("n", std::to_string(p.n));

  long const right = kernels::fib_by_addition(p.n);
  long result = 0;
  for (int cutoff : p.cutoffs) {
    d.serial(
        "cutoff " + std::to_string(cutoff), [&] { result = kernels::serial_fib(p.n); },
        [&] { return result == right; });
  }
  for (int threads : d.threads()) {
    kernels::with_threads(threads, [&] { measure_all(d, p, threads); });
  }
  return d.finish();
}
