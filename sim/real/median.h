// SPDX-License-Identifier: Apache-2.0
// What is made of repeated measurements.
#pragma once

#include <algorithm>
#include <vector>

namespace ashlar::sim {

// 0 if there are none.
template <typename T>
T median(std::vector<T> values) {
  if (values.empty()) return 0;
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Not below 0.
template <typename T>
T difference(T a, T b) {
  return a > b ? a - b : 0;
}

}  // namespace ashlar::sim
