// SPDX-License-Identifier: Apache-2.0
// Random numbers for the inputs: the i-th number of a stream depends on the stream and on i only, after Steele, Lea and
// Flood's SplitMix.
#pragma once

#include <cstddef>
#include <cstdint>

namespace programs {

inline std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

class random_stream {
 public:
  explicit random_stream(std::uint64_t seed) : state_(mix(seed + 0x9e3779b97f4a7c15u)) {}
  std::uint64_t bits() { return mix(state_ += 0x9e3779b97f4a7c15u); }
  // In [0, n).
  std::size_t below(std::size_t n) {
    return static_cast<std::size_t>((static_cast<unsigned __int128>(bits()) * n) >> 64);
  }
  // In [0, 1).
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * unit(); }

 private:
  std::uint64_t state_;
};

// A number that grows with the scale, at least `least`.
inline std::size_t scaled(double scale, std::size_t full, std::size_t least = 1) {
  auto const n = static_cast<std::size_t>(static_cast<double>(full) * scale);
  return n < least ? least : n;
}

}  // namespace programs
