// SPDX-License-Identifier: Apache-2.0
// How long each iteration of a scenario sleeps.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

namespace threads {

using costs = std::vector<double>;  // seconds, by iteration

inline costs even_costs(int n, double seconds) { return costs(static_cast<std::size_t>(n), seconds); }

// From about 0 at the beginning to twice the mean at the end.
inline costs rising_costs(int n, double mean) {
  costs made;
  for (int i = 0; i < n; ++i) made.push_back(2 * mean * (i + 0.5) / n);
  return made;
}

// One iteration, a third of the way along, takes as long as a thread's whole share of the others.
inline costs one_long_cost(int n, double seconds, int threads) {
  costs made = even_costs(n, seconds);
  made[static_cast<std::size_t>(n / 3)] = seconds * n / threads;
  return made;
}

// The first eighth takes eight times as long as the rest.
inline costs skewed_costs(int n, double mean) {
  costs made;
  for (int i = 0; i < n; ++i) made.push_back(mean * 8 / 15 * (i < n / 8 ? 8 : 1));
  return made;
}

// Uniform from 0 to twice the mean, the same in every run.
inline costs random_costs(int n, double mean) {
  std::mt19937 source(20200906);
  costs made;
  for (int i = 0; i < n; ++i) made.push_back(2 * mean * static_cast<double>(source()) / 4294967296.0);
  return made;
}

}  // namespace threads
