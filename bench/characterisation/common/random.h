// SPDX-License-Identifier: Apache-2.0
// Random numbers that depend on their place only (seed, and index), not on who draws them: every version of a program
// gets the same ones.
//
// Sources: splitmix64 (Steele, Lea, Flood 2014); the inverse normal distribution by Beasley, Springer (1977) and
// Moro (1995), as printed in Glasserman, "Monte Carlo Methods in Financial Engineering" (2003), figure 2.13.
#pragma once

#include <cmath>
#include <cstdint>

namespace study {

inline std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed * 0xd1342543de82ef95u + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// In (0, 1): neither end.
inline double uniform(std::uint64_t seed, std::uint64_t index) {
  return (static_cast<double>(random_bits(seed, index) >> 12) + 0.5) * 0x1p-52;
}

inline double uniform(std::uint64_t seed, std::uint64_t index, double least, double most) {
  return least + (most - least) * uniform(seed, index);
}

inline double inverse_normal(double u) {
  constexpr double a[] = {2.50662823884, -18.61500062529, 41.39119773534, -25.44106049637};
  constexpr double b[] = {-8.47351093090, 23.08336743743, -21.06224101826, 3.13082909833};
  constexpr double c[] = {0.3374754822726147, 0.9761690190917186, 0.1607979714918209,
                          0.0276438810333863, 0.0038405729373609, 0.0003951896511919,
                          0.0000321767881768, 0.0000002888167364, 0.0000003960315187};
  double const y = u - 0.5;
  if (std::fabs(y) < 0.42) {
    double const r = y * y;
    return y * (((a[3] * r + a[2]) * r + a[1]) * r + a[0]) / ((((b[3] * r + b[2]) * r + b[1]) * r + b[0]) * r + 1);
  }
  double const r = std::log(-std::log(y > 0 ? 1 - u : u));
  double x = c[8];
  for (int i = 7; i >= 0; --i) {
    x = x * r + c[i];
  }
  return y < 0 ? -x : x;
}

inline double normal(std::uint64_t seed, std::uint64_t index) { return inverse_normal(uniform(seed, index)); }

}  // namespace study
