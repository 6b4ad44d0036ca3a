// SPDX-License-Identifier: Apache-2.0
// A range that is halved until no part is larger than the grain, as the library's ranges are under simple_partitioner.
#pragma once

#include "program/program.h"

#include <ashlar/base/blocked_range.h>

#include <cstdint>

namespace ashlar::sim {

// Divides the task's range [a, b): the child gets what the library's range gives away. False if it is not divisible.
inline bool halve(task_state& self, task_state& child, std::int64_t grain) {
  tbb::blocked_range<std::int64_t> left(self.a, self.b, static_cast<std::size_t>(grain));
  if (!left.is_divisible()) return false;
  tbb::blocked_range<std::int64_t> const right(left, tbb::split());
  child = self;
  child.a = right.begin();
  child.b = right.end();
  self.b = left.end();
  return true;
}

// How many parts there are.
struct halved {
  double parts;   // a task each
  double levels;  // of halving
  halved(std::int64_t items, std::int64_t grain) noexcept {
    int level = 0;
    while ((items >> level) > grain) ++level;
    auto const whole = std::int64_t(1) << level;
    // Parts at the last level differ by one item: the larger ones may be too large still.
    std::int64_t const larger = (items >> level) == grain ? items % whole : 0;
    parts = static_cast<double>(whole + larger);
    levels = level + (larger != 0 ? 1 : 0);
  }
};

}  // namespace ashlar::sim
