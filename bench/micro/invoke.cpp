// SPDX-License-Identifier: Apache-2.0
// Fork-join cost: fib without cutoff, by parallel_invoke. One unit is one call of fib, leaves
// included; an inner node is one fork-join, and there are two calls for each.
#include <tbb/parallel_invoke.h>

#include <bench/tbb_peer.h>

#include <bench/fib.h>

namespace {

long fib_invoke(int n) {
  if (n < 2) {
    return n;
  }
  long x, y;
  tbb::parallel_invoke([n, &x] { x = fib_invoke(n - 1); }, [n, &y] { y = fib_invoke(n - 2); });
  return x + y;
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  return bench::with_threads(o.threads, [&o] {
    if (!bench::is_row(o, "invoke")) {
      bench::usage("unknown row", o.row);
    }
    return bench::measure_fib(o, fib_invoke);
  });
}
