// SPDX-License-Identifier: Apache-2.0
// How fast the core really runs now, for figures in clock cycles and to tell a core that another machine shares.
// Neither /proc/cpuinfo nor the time stamp counter tells it: both are nominal, and what a hypervisor's neighbours do is
// not shown at all.
#pragma once

#include <algorithm>

#include <bench/clock.h>

namespace bench {

// Takes a tenth of a millisecond. Both are 0 on an architecture without the instructions for it.
struct core_speed {
  double mhz = 0;
  // Instructions that the core takes per cycle when nothing holds them up. Where it runs another thread beside this one
  // (simultaneous multithreading; the thread may be a neighbour's) they are 20 to 45 % fewer, while the clock rate
  // stays.
  double width = 0;
};

#if defined(__x86_64__) || defined(__aarch64__)
namespace detail {

// Seconds of each of a few short runs, in order.
template <typename Run>
void timed_runs(double (&took)[5], Run run) {
  for (double& t : took) {
    double const start = wall_now();
    run();
    t = wall_now() - start;
  }
  std::sort(took, took + 5);
}

}  // namespace detail

inline core_speed measured_speed() {
  constexpr long rounds = 2500;
  double chain[5], stream[5];
  detail::timed_runs(chain, [] {  // 16 additions, each of which waits for the one before: one cycle each
    unsigned long sum = 0, step = 1;
    for (long i = 0; i < rounds; ++i) {
#if defined(__x86_64__)
      __asm__ volatile(".rept 16\n\tadd %1, %0\n\t.endr" : "+r"(sum) : "r"(step) : "cc");
#else
      __asm__ volatile(".rept 16\n\tadd %0, %0, %1\n\t.endr" : "+r"(sum) : "r"(step));
#endif
    }
  });
  detail::timed_runs(stream, [] {
    for (long i = 0; i < rounds; ++i) {
      __asm__ volatile(".rept 64\n\tnop\n\t.endr");
    }
  });
  // An interruption can only lengthen a run.
  double const mhz = 16e-6 * static_cast<double>(rounds) / chain[0];
  return {mhz, 64e-6 * static_cast<double>(rounds) / stream[2] / mhz};
}
#else
inline core_speed measured_speed() { return {}; }
#endif

}  // namespace bench
