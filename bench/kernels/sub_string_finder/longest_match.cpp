// SPDX-License-Identifier: Apache-2.0
#include "sub_string_finder/longest_match.h"

#include <algorithm>

namespace kernels {

match longest_match(std::string_view text, int position) {
  int const n = static_cast<int>(text.size());
  char const* const here = text.data() + position;
  match best;
  for (int other = 0; other < n; ++other) {
    if (other == position) {
      continue;
    }
    char const* const there = text.data() + other;
    int const limit = n - std::max(position, other);
    int length = 0;
    while (length < limit && here[length] == there[length]) {
      ++length;
    }
    if (length > best.length) {
      best = {length, other};
    }
  }
  return best;
}

}  // namespace kernels
