// SPDX-License-Identifier: Apache-2.0
#include "trace/task_graph.h"

#include <bit>
#include <numeric>

namespace ashlar::sim {

// The position of the highest bit, and the four below it.
unsigned grain_histogram::step_of(picoseconds work) noexcept {
  if (work < steps) return static_cast<unsigned>(work);
  auto const top = static_cast<unsigned>(std::bit_width(work)) - 1;
  return (top - 3) * steps + static_cast<unsigned>(work >> (top - 4) & (steps - 1));
}

picoseconds grain_histogram::start_of(unsigned step) noexcept {
  if (step < steps) return step;
  return (picoseconds{steps} + step % steps) << (step / steps - 1);
}

void grain_histogram::add(picoseconds work) noexcept { ++counts_[step_of(work)]; }

std::uint64_t grain_histogram::below(picoseconds work) const noexcept {
  return std::accumulate(counts_.begin(), counts_.begin() + step_of(work), std::uint64_t{0});
}

picoseconds grain_histogram::median() const noexcept {
  std::uint64_t const all = std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
  std::uint64_t seen = 0;
  for (unsigned i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (2 * seen > all) return (start_of(i) + start_of(i + 1)) / 2;
  }
  return 0;
}

}  // namespace ashlar::sim
