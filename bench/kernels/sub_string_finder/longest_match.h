// SPDX-License-Identifier: Apache-2.0
// For one position of a text: where else the longest substring starting there occurs. Quadratic over all positions,
// as in the paper: the work per position is even, so that what differs between libraries is their scheduling.
#pragma once

#include <string_view>

namespace kernels {

struct match {
  int length = 0;
  int position = -1;  // the first place of that length; -1 if not even the first character occurs again

  friend bool operator==(match const&, match const&) = default;
};

// Compares with every other position. Matches may overlap the substring itself.
match longest_match(std::string_view text, int position);

}  // namespace kernels
