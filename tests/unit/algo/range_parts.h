// SPDX-License-Identifier: Apache-2.0
// Splits ranges to the end, for the tests of the ranges.
#pragma once

#include <tbb/blocked_range.h>

#include <cstdint>
#include <vector>

// The parts that remain when everything divisible is split, from left to right. Values of `proportions` that are
// not {0, 0} split in that proportion; they are used in turn.
struct proportion {
  std::size_t left;
  std::size_t right;
};

template <typename Range>
std::vector<Range> split_to_the_end(Range const& whole, std::vector<proportion> const& proportions = {{0, 0}}) {
  std::vector<Range> done;
  std::vector<Range> open{whole};
  std::size_t turn = 0;
  while (!open.empty()) {
    Range r = open.back();
    open.pop_back();
    if (!r.is_divisible()) {
      done.push_back(r);
      continue;
    }
    proportion const p = proportions[turn++ % proportions.size()];
    if (p.left == 0 && p.right == 0) {
      Range const right(r, tbb::split());
      open.push_back(right);
    } else {
      tbb::proportional_split how(p.left, p.right);
      Range const right(r, how);
      open.push_back(right);
    }
    open.push_back(r);
  }
  return done;
}
