// SPDX-License-Identifier: Apache-2.0
// The rate at which the core really runs now, for figures in clock cycles. Neither /proc/cpuinfo nor the time stamp
// counter tells it: both are nominal.
#pragma once

#include <bench/clock.h>

namespace bench {

// MHz by a chain of register additions, one cycle each on every core that is worth measuring; the best of nine tries of half a
// millisecond, because an interruption can only lengthen one. 0 on an architecture without such a chain.
inline double measured_mhz() {
#if defined(__x86_64__) || defined(__aarch64__)
  double best = 0;
  for (int attempt = 0; attempt < 9; ++attempt) {
    constexpr long rounds = 125000;
    unsigned long sum = 0, step = 1;
    double const start = wall_now();
    for (long i = 0; i < rounds; ++i) {
#if defined(__x86_64__)
#define ASHLAR_BENCH_ADD "add %1, %0\n\t"
#else
#define ASHLAR_BENCH_ADD "add %0, %0, %1\n\t"
#endif
#define ASHLAR_BENCH_ADD4 ASHLAR_BENCH_ADD ASHLAR_BENCH_ADD ASHLAR_BENCH_ADD ASHLAR_BENCH_ADD
      __asm__ volatile(ASHLAR_BENCH_ADD4 ASHLAR_BENCH_ADD4 ASHLAR_BENCH_ADD4 ASHLAR_BENCH_ADD4 : "+r"(sum) : "r"(step) : "cc");
#undef ASHLAR_BENCH_ADD4
#undef ASHLAR_BENCH_ADD
    }
    double const mhz = 16e-6 * static_cast<double>(rounds) / (wall_now() - start);
    best = mhz > best ? mhz : best;
  }
  return best;
#else
  return 0;
#endif
}

}  // namespace bench
