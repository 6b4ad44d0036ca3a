// SPDX-License-Identifier: Apache-2.0
// The targets of the program that is like a build system: each needs one to four of the hundred before it, and its
// value is a hash of theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

struct project {
  explicit project(std::size_t targets) : needs(targets), values(targets) {
    std::uint32_t state = 12345;
    auto const random = [&state](std::size_t below) {
      state = state * 1664525u + 1013904223u;
      return (state >> 8) % below;
    };
    for (std::size_t i = 1; i < targets; ++i) {
      std::size_t const wanted = 1 + random(4), reach = i < 100 ? i : 100;
      for (std::size_t n = 0; n < wanted; ++n) {
        std::size_t const one = i - 1 - random(reach);
        bool known = false;
        for (std::size_t const other : needs[i]) known = known || other == one;
        if (!known) needs[i].push_back(one);
      }
    }
  }
  void make(std::size_t i) {
    std::uint64_t value = i + 1;
    for (std::size_t const need : needs[i]) value = (value ^ values[need]) * 0x9E3779B97F4A7C15u;
    for (int round = 0; round < 20; ++round) value = (value ^ value >> 29) * 0xBF58476D1CE4E5B9u;
    values[i] = value;
  }
  void make_all() {
    for (std::size_t i = 0; i < needs.size(); ++i) make(i);
  }
  std::vector<std::vector<std::size_t>> needs;
  std::vector<std::uint64_t> values;
};

}  // namespace bench
