// SPDX-License-Identifier: Apache-2.0
// The idle and wake measurements with TBB's parallel_for; idle.h has them.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <bench/tbb_peer.h>

#include "idle.h"

namespace {

using range = tbb::blocked_range<int>;

struct library {
  template <typename F>
  static int with_threads(int n, F f) {
    return bench::with_threads(n, f);
  }
  template <typename Body>
  static void two_items(Body body) {
    tbb::parallel_for(range(0, 2, 1), [body](range const&) { body(); }, tbb::simple_partitioner());
  }
  template <typename Body>
  static void region(int n, Body body) {
    tbb::parallel_for(range(0, n), [body](range const& r) { body(r.begin(), r.end()); });
  }
};

}  // namespace

int main(int argc, char** argv) { return bench::idle_main<library>(argc, argv); }
