// SPDX-License-Identifier: Apache-2.0
// The four ways of writing a fork-join program over classic tasks that the 2007 paper compares, each adding one
// optimisation to the one before.
#pragma once

#include <string>

namespace kernels {

enum class style {
  blocking,      // TBB: the parent waits for its children on its own stack
  continuation,  // TBB+C: the parent leaves a continuation task behind and returns
  bypass,        // TBB+CB: and returns its first child to the scheduler instead of spawning it
  recycling      // TBB+CBR: and becomes that child itself
};

inline constexpr style all_styles[] = {style::blocking, style::continuation, style::bypass, style::recycling};

inline std::string paper_name(style s) {
  char const* const names[] = {"TBB", "TBB+C", "TBB+CB", "TBB+CBR"};
  return names[static_cast<int>(s)];
}

}  // namespace kernels
