// SPDX-License-Identifier: Apache-2.0
// When something arrives, and work of a known length. Arrivals follow a Poisson process whose random numbers are the
// same in every run, so that all peers get the same ones.
#pragma once

#include <bench/clock.h>
#include <bench/work.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <thread>
#include <vector>

#include <sys/prctl.h>

namespace bench {

inline double micros_since(double start) { return (wall_now() - start) * 1e6; }

inline void short_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// The kernel may wake a sleeper 50 us late to save power; here nobody wants that.
inline void want_exact_sleeps() { prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); }

inline void sleep_until(double when) {
  timespec t;
  t.tv_sec = static_cast<time_t>(when);
  t.tv_nsec = static_cast<long>((when - static_cast<double>(t.tv_sec)) * 1e9);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) != 0) {
  }
}

inline void spin_until(double when) {
  while (wall_now() < when) short_pause();
}

class random_gaps {
 public:
  random_gaps(double mean_us, unsigned seed) : mean_(mean_us * 1e-6), state_(seed * 2654435761u + 12345u) {}

  std::uint32_t bits() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 32);
  }
  // Seconds to the next arrival.
  double next() { return -mean_ * std::log((static_cast<double>(bits()) + 1) / 4294967297.0); }

 private:
  double const mean_;
  std::uint64_t state_;
};

// A piece of work: so many calls of a chain of 28 ns each (at full clock).
inline unsigned work_for(int calls) {
  chain_28ns chain;
  unsigned x = static_cast<unsigned>(calls);
  for (int i = 0; i < calls; ++i) x = chain(x);
  keep(x);
  return x;
}

// Seconds that the work takes one thread while as many threads as will serve do the same: the median of many runs.
template <typename Work>
double seconds_of(Work const& work, int threads) {
  constexpr int runs = 200;
  std::vector<double> took(static_cast<std::size_t>(threads * runs));
  auto const measure = [&](int t) {
    for (int i = 0; i < runs; ++i) {
      double const start = wall_now();
      work();
      took[static_cast<std::size_t>(t * runs + i)] = wall_now() - start;
    }
  };
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(measure, t);
  measure(0);
  for (std::thread& t : others) t.join();
  std::nth_element(took.begin(), took.begin() + static_cast<long>(took.size()) / 2, took.end());
  return took[took.size() / 2];
}

}  // namespace bench
