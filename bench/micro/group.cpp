// SPDX-License-Identifier: Apache-2.0
// Fork-join cost: fib without cutoff, by a new task_group at every node. One unit is one call of fib, leaves
// included; an inner node is one fork-join, and there are two calls for each.
#include <tbb/task_group.h>

#include <bench/tbb_peer.h>

#include <bench/fib.h>

namespace {

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

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  return bench::with_threads(o.threads, [&o] {
    if (!bench::is_row(o, "group")) {
      bench::usage("unknown row", o.row);
    }
    return bench::measure_fib(o, fib_group);
  });
}
