// SPDX-License-Identifier: Apache-2.0
// Takes the samples of a repeatable piece of work: warms, finds how often the work must run to fill a sample,
// then samples until enough good ones are there. A sample that did not use the cores it should have used
// (options::cores_min) is thrown away and counted; after three times the wanted number it gives up, and the
// runner then reports the row as void.
#pragma once

#include <bench/clock.h>
#include <bench/options.h>
#include <bench/report.h>
#include <bench/threads.h>

namespace bench {

struct timing {
  double wall;
  double cpu;
};

template <typename Work>
timing time_repeated(Work& work, long repeats) {
  double const c0 = cpu_now();
  double const w0 = wall_now();
  for (long i = 0; i < repeats; ++i) {
    work();
  }
  double const w1 = wall_now();
  return {w1 - w0, cpu_now() - c0};
}

// In count mode the runner collects instructions inside this function only (callgrind --toggle-collect), so
// that checks and preparations don't count.
template <typename Work>
__attribute__((noinline)) void counted_section(Work& work, long repeats = 1) {
  for (long i = 0; i < repeats; ++i) {
    work();
  }
  __asm__ volatile("" ::: "memory");
}

// Runs the work for at least the warming time and returns the seconds that one run took at the end of it: the
// first runs of a process pay for page faults and for threads that have not spread over the cores yet.
template <typename Work>
double warm(options const& o, Work& work) {
  double const start = wall_now();
  double once = 0;
  long batch = 1;
  do {
    once = time_repeated(work, batch).wall / static_cast<double>(batch);
    if (once * static_cast<double>(batch) < 0.002) {
      batch *= 2;
    }
  } while (wall_now() - start < o.warm_s);
  return once;
}

// The common case: samples of `work`, each divided by the operations that one run performs and multiplied by
// `unit_per_second` (1e9 for nanoseconds). `baseline` gives seconds per run that are not the library's cost
// and are subtracted; it is sampled beside the work, so that a slow window of the machine hits both.
template <typename Work, typename Baseline>
void take_samples(report& r, Work work, double ops, double unit_per_second, Baseline baseline) {
  options const& o = r.opts();
  double const once = warm(o, work);
  if (o.pin) {
    pin_all_threads();
    warm(o, work);
  }
  long const repeats = once > 0 && once < o.sample_s ? static_cast<long>(o.sample_s / once) + 1 : 1;
  bystanders const others;
  int good = 0;
  for (int taken = 0; good < o.samples && taken < 3 * o.samples; ++taken) {
    double const base = baseline();
    timing const t = time_repeated(work, repeats);
    double const cores = t.cpu / t.wall;
    if (cores < o.cores_min) {
      r.discard();
      continue;
    }
    ++good;
    r.add({(t.wall / static_cast<double>(repeats) - base) / ops * unit_per_second, cores});
  }
  r.foreign(others);
}

template <typename Work>
void take_samples(report& r, Work work, double ops, double unit_per_second) {
  take_samples(r, work, ops, unit_per_second, [] { return 0.0; });
}

}  // namespace bench
