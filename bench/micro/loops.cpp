// SPDX-License-Identifier: Apache-2.0
// The loop measurements with TBB's parallel_for; loops.h has them.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <bench/tbb_peer.h>

#include "loops.h"

namespace {

using range = tbb::blocked_range<int>;

struct library {
  template <typename F>
  static int with_threads(int n, F f) {
    return bench::with_threads(n, f);
  }
  template <typename Body>
  static void in_grains(int n, Body body) {
    tbb::parallel_for(
        range(0, n, 100), [body](range const& r) { body(r.begin(), r.end()); }, tbb::simple_partitioner());
  }
  template <typename Body>
  static void as_usual(int n, Body body) {
    tbb::parallel_for(range(0, n), [body](range const& r) { body(r.begin(), r.end()); });
  }
};

}  // namespace

int main(int argc, char** argv) { return bench::loops_main<library>(argc, argv); }
