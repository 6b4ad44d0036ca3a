// SPDX-License-Identifier: Apache-2.0
// What an idle worker costs and how fast it comes back, written once for every library.
// Rows "sleeping" and "busy": a loop of 64 empty iterations every millisecond for two seconds, the main thread
// sleeping or spinning in between; the value is CPU time / wall time. The run is void unless the worker wakes
// afterwards: a lost worker looks wonderfully economical.
// Row "wake": how long after 10 ms of idleness the other thread starts, the two pinned to different CPUs.
// A library gives
//   static int with_threads(int n, F)     calls F() with n threads
//   static void two_items(Body)             Body() twice, on two threads if there are two
//   static void region(int n, Body)         [0, n) with the default schedule, Body(first, last)
#pragma once

#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

#include <bench/fib.h>
#include <bench/sampler.h>
#include <bench/work.h>

namespace bench {

inline void sleep_until(double when) {
  timespec t;
  t.tv_sec = static_cast<time_t>(when);
  t.tv_nsec = static_cast<long>((when - static_cast<double>(t.tv_sec)) * 1e9);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) != 0) {
  }
}

inline void short_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  __asm__ volatile("" ::: "memory");
#endif
}

// A region of two items, of which the calling thread keeps the first one that it gets until another thread has
// started the other one, or until the patience ends.
struct meeting {
  double begun;                          // the region was called
  std::atomic<double> other_started{0};  // another thread got an item; 0: none did
  double patience;
  int pin_other_to;  // CPU, or -1
};

template <typename Library>
void meet(meeting& m) {
  pid_t const caller = gettid();
  m.begun = wall_now();
  Library::two_items([&m, caller] {
    if (gettid() == caller) {
      while (m.other_started.load(std::memory_order_relaxed) == 0 && wall_now() - m.begun < m.patience) {
        short_pause();
      }
    } else {
      m.other_started.store(wall_now(), std::memory_order_relaxed);
      if (m.pin_other_to >= 0) {
        pin_thread(0, m.pin_other_to);
      }
    }
  });
}

// Seconds until the other thread started; infinite if it did not within the patience.
template <typename Library>
double meeting_delay(double patience, int pin_other_to = -1) {
  meeting m{0, {0}, patience, pin_other_to};
  meet<Library>(m);
  double const started = m.other_started.load();
  return started != 0 ? started - m.begun : std::numeric_limits<double>::infinity();
}

inline constexpr double liveness_patience = 5.0;

// True if the other thread comes in each of several regions with idle pauses between them.
template <typename Library>
bool worker_lives(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    if (meeting_delay<Library>(liveness_patience) > liveness_patience) {
      return false;
    }
    sleep_until(wall_now() + 0.010);
  }
  return true;
}

template <typename Library>
int measure_periodic(options const& o, bool busy) {
  constexpr double period = 1e-3;
  int const regions = o.size ? static_cast<int>(o.size) : 2200;
  report r(o, "cores");
  r.check(worker_lives<Library>(3), "the worker starts");
  std::vector<double> latency;
  latency.reserve(static_cast<std::size_t>(regions));
  bystanders const others;
  double const c0 = cpu_now();
  double const w0 = wall_now();
  double next = w0;
  for (int k = 0; k < regions; ++k) {
    double const begun = wall_now();
    Library::region(64, [](int first, int last) {
      for (int i = first; i != last; ++i) {
        keep(i);
      }
    });
    latency.push_back(wall_now() - begun);
    next += period;
    if (busy) {
      while (wall_now() < next) {
      }
    } else {
      sleep_until(next);
    }
  }
  double const wall = wall_now() - w0;
  double const cpu = cpu_now() - c0;
  r.foreign(others);
  r.add({cpu / wall, 0});
  std::sort(latency.begin(), latency.end());
  r.value("region_us", 1e6 * latency[latency.size() / 2]);
  r.value("period_us", 1e6 * wall / regions);
  r.check(worker_lives<Library>(20), "the worker still wakes after the idle period");
  return r.finish();
}

template <typename Library>
int measure_wake(options const& o) {
  int const rounds = o.size ? static_cast<int>(o.size) : 60;
  constexpr double patience = 3e-3;
  report r(o, "us");
  std::vector<int> const cpus = allowed_cpus();
  if (cpus.size() < 2 || o.threads != 2) {
    usage("needs two CPUs and --threads 2, row", o.row);
  }
  // The worker must exist before the main thread is pinned, else it inherits the mask.
  bool const started = meeting_delay<Library>(liveness_patience, cpus[1]) < liveness_patience;
  r.check(started && pin_thread(0, cpus[0]), "two threads on two CPUs");
  bystanders const others;
  int missed = 0;
  for (int i = 0; i < rounds && started; ++i) {
    sleep_until(wall_now() + 0.010);
    double const delay = meeting_delay<Library>(patience, cpus[1]);
    missed += delay > patience;
    r.add({1e6 * std::min(delay, patience), 0});
  }
  r.foreign(others);
  r.value("missed", missed);
  r.check(worker_lives<Library>(3), "the worker still wakes");
  return r.finish();
}

template <typename Library>
int measure_row(options const& o) {
  if (is_row(o, "sleeping") || is_row(o, "busy")) {
    return measure_periodic<Library>(o, is_row(o, "busy"));
  }
  if (is_row(o, "wake")) {
    return measure_wake<Library>(o);
  }
  usage("unknown row", o.row);
}

template <typename Library>
int idle_main(int argc, char** argv) {
  options const o = parse(argc, argv);
  return Library::with_threads(o.threads, [&o] { return measure_row<Library>(o); });
}

}  // namespace bench
