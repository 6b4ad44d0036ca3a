// SPDX-License-Identifier: Apache-2.0
// What every row of this folder does with its work: sample it or count it, and check it.
#pragma once

#include <bench/sampler.h>

#include <cstddef>

namespace bench {

// Samples `work`, of which one run makes `operations` operations. `right` says after all runs whether the results are
// right.
template <typename Work, typename Right>
int sampled(options const& o, char const* unit, double operations, Work work, Right right) {
  report r(o, unit);
  r.ops(operations);
  if (o.count) {
    work();  // the first run allocates what later runs use again
    counted_section(work);
  } else {
    take_samples(r, work, operations, 1e9);
  }
  r.check(right(), "messages that came");
  return r.finish();
}

inline long rounds_of(options const& o, long by_default) { return o.size != 0 ? o.size : by_default; }

// One row of a program.
struct flow_row {
  char const* name;
  int (*measure)(options const&);
};

// The row that the command line names, of a program that consists of `rows`.
template <std::size_t Number>
int named_row(int argc, char** argv, flow_row const (&rows)[Number]) {
  options const o = parse(argc, argv);
  for (flow_row const& r : rows) {
    if (is_row(o, r.name)) return with_threads(o.threads, [&] { return r.measure(o); });
  }
  usage("unknown row", o.row);
}

}  // namespace bench
