// SPDX-License-Identifier: Apache-2.0
// One operation of a foreign program, often: run.py counts the instructions at two sizes, whose difference has no
// start-up in it. Usage: costs WHAT SIZE; prints how many operations there were.
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_group.h>

#include <cstdio>
#include <cstdlib>
#include <string>

static long operations = 0;

static long invoke(int n) {
  if (n < 2) return n;
  ++operations;
  long a = 0, b = 0;
  tbb::parallel_invoke([&] { a = invoke(n - 1); }, [&] { b = invoke(n - 2); });
  return a + b;
}

static long group(int n) {
  if (n < 2) return n;
  ++operations;
  long a = 0;
  tbb::task_group g;
  g.run([&] { a = group(n - 1); });
  long const b = group(n - 2);
  g.wait();
  return a + b;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  tbb::global_control const one(tbb::global_control::max_allowed_parallelism, 1);
  std::string const what = argv[1];
  int const n = std::atoi(argv[2]);
  long ran = 0;
  if (what == "parallel_invoke") {
    ran = invoke(n);
  } else if (what == "task_group") {
    ran = group(n);
  } else if (what == "leaf") {
    tbb::parallel_for(
        tbb::blocked_range<int>(0, n, 1), [&](tbb::blocked_range<int> const& r) { ran += static_cast<long>(r.size()); },
        tbb::simple_partitioner());
    operations = ran;
  } else if (what == "flat") {
    tbb::task_group g;
    for (int i = 0; i < n; ++i) g.run([&] { ++ran; });
    g.wait();
    operations = ran;
  } else if (what == "small_loop") {
    for (int i = 0; i < n; ++i) tbb::parallel_for(0, 4, [&](int) { ++ran; });
    operations = ran / 4;
  }
  std::printf("%ld\n", operations);
  return ran > 0 ? 0 : 1;
}
