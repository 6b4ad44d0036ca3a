// SPDX-License-Identifier: Apache-2.0
// Fork-join cost: fib without cutoff, by parallel_invoke and by a new task_group at every node. One unit is
// one call of fib, leaves included; an inner node is one fork-join, and there are two calls for each.
#include <tbb/parallel_invoke.h>
#include <tbb/task_group.h>

#include <bench/tbb_peer.h>

#include <bench/fib.h>
#include <bench/sampler.h>

namespace {

long fib_invoke(int n) {
  if (n < 2) {
    return n;
  }
  long x, y;
  tbb::parallel_invoke([n, &x] { x = fib_invoke(n - 1); }, [n, &y] { y = fib_invoke(n - 2); });
  return x + y;
}

long fib_group(int n) {
  if (n < 2) {
    return n;
  }
  long x;
  tbb::task_group group;
  group.run([n, &x] { x = fib_group(n - 1); });
  long const y = fib_group(n - 2);
  group.wait();
  return x + y;
}

int measure_row(bench::options const& o) {
  if (bench::is_row(o, "invoke")) {
    return bench::measure_fib(o, fib_invoke);
  }
  if (bench::is_row(o, "group")) {
    return bench::measure_fib(o, fib_group);
  }
  bench::usage("unknown row", o.row);
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  return bench::with_threads(o.threads, [&o] { return measure_row(o); });
}
