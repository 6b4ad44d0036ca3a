// SPDX-License-Identifier: Apache-2.0
// Loops that walk over the same array again and again: an affinity_partitioner gives each thread the part that it had
// before, which may still be in its cache.
#include <stdexec/execution.hpp>

#include <ashlar/execution.h>
#include <tbb/partitioner.h>

#include <cmath>
#include <cstdio>
#include <vector>

namespace ex = stdexec;
using tbb::execution::arena_scheduler;
using tbb::execution::get_partitioner;

int main() {
  std::size_t const n = 10000;
  // Heat in a rod whose ends are kept at 0 and at 1.
  std::vector<double> heat(n + 2), next(n + 2);
  heat[n + 1] = 1;

  auto const relax = [&](std::size_t i) { next[i + 1] = (heat[i] + heat[i + 2]) / 2; };
  auto const copy_back = [&](std::size_t i) { heat[i + 1] = next[i + 1]; };
  arena_scheduler const s{tbb::attach()};
  tbb::affinity_partitioner affinity;
  auto const step = ex::write_env(ex::schedule(s) | ex::bulk(ex::par, n, relax) | ex::bulk(ex::par, n, copy_back),
                                  ex::prop(get_partitioner, &affinity));
  for (int i = 0; i < 100; ++i) ex::sync_wait(step);

  double sum = 0;
  for (double const h : heat) sum += h;
  std::printf("%.3f\n", sum);
  // Nothing but what comes in at the end: a random walk of 100 steps gets about so far.
  return sum > 1 && sum < 100 && heat[n] > 0.9 ? 0 : 1;
}
