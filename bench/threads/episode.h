// SPDX-License-Identifier: Apache-2.0
// An episode: a team wakes up, runs one parallel_for of 4 T chunks that sleep for 200 us each, and has nothing to do
// for a while.
#pragma once

#include "team.h"

#include <atomic>

namespace threads {

// Returns how many chunks have run.
inline int episode(team& t, double pause) {
  std::atomic<int> chunks{0};
  t.arena().execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<int>(0, 4 * t.size()),
        [&](tbb::blocked_range<int> const&) {
          nap(200e-6);
          chunks.fetch_add(1);
        },
        tbb::simple_partitioner());
  });
  nap(pause);
  return chunks;
}

// Pauses: of the issue that these counts come from, and one in which all of many threads fall asleep on few processors.
constexpr double short_pause = 0.005;
constexpr double long_pause = 0.060;

}  // namespace threads
