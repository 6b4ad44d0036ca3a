// SPDX-License-Identifier: Apache-2.0
// The work of the composability programs: a loop of 64 pieces of 16 us, one millisecond of one thread, and series of
// it.
#pragma once

#include <tbb/parallel_for.h>

#include <bench/clock.h>
#include <bench/work.h>

#include <algorithm>
#include <atomic>
#include <vector>

namespace bench {

constexpr int pieces = 64;
constexpr int piece_calls = 570;  // of 28 ns

inline void piece() {
  chain_28ns chain;
  unsigned x = 1;
  for (int i = 0; i < piece_calls; ++i) x = chain(x);
  keep(x);
}

inline void tbb_loop(std::atomic<long>& done) {
  tbb::parallel_for(0, pieces, [&](int) {
    piece();
    done.fetch_add(1, std::memory_order_relaxed);
  });
}

// Loops one after the other until then; how long each took, in milliseconds.
struct phase {
  std::vector<double> took;
  double seconds = 0;

  double mean() const { return 1e3 * seconds / static_cast<double>(took.size()); }
  double percentile(double share) {
    std::sort(took.begin(), took.end());
    return took.empty() ? 0 : took[static_cast<std::size_t>(share * static_cast<double>(took.size() - 1))];
  }
};

inline phase loops_for(double seconds, std::atomic<long>& done) {
  phase found;
  double const begun = wall_now();
  for (double now = begun; now - begun < seconds;) {
    tbb_loop(done);
    double const end = wall_now();
    found.took.push_back((end - now) * 1e3);
    now = end;
  }
  found.seconds = wall_now() - begun;
  return found;
}

}  // namespace bench
