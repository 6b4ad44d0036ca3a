// SPDX-License-Identifier: Apache-2.0
// Of a range that is halved until no part is larger than the grain: how many parts there are.
#pragma once

#include <cstdint>

namespace ashlar::sim {

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
