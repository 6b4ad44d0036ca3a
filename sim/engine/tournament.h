// SPDX-License-Identifier: Apache-2.0
// The next event of each worker, and which comes first: a tournament tree over keys that hold time and worker, so that
// ties go to the lower worker and a comparison is one minimum.
#pragma once

#include "program/program.h"

#include <bit>
#include <vector>

namespace ashlar::sim {

class tournament {
 public:
  static constexpr int worker_bits = 12;
  static constexpr picoseconds never = (~std::uint64_t(0)) >> worker_bits;

  explicit tournament(unsigned workers) : leaves_(std::bit_ceil(workers)), keys_(2 * leaves_, ~std::uint64_t(0)) {}

  // O(log workers).
  void set(unsigned worker, picoseconds time) noexcept {
    std::size_t at = leaves_ + worker;
    std::uint64_t key = time << worker_bits | worker;
    keys_[at] = key;
    while (at > 1) {
      std::uint64_t const other = keys_[at ^ 1];
      key = key < other ? key : other;
      at >>= 1;
      keys_[at] = key;
    }
  }
  picoseconds time_of(unsigned worker) const noexcept { return keys_[leaves_ + worker] >> worker_bits; }
  unsigned first() const noexcept { return static_cast<unsigned>(keys_[1] & ((1u << worker_bits) - 1)); }
  picoseconds first_time() const noexcept { return keys_[1] >> worker_bits; }

 private:
  std::size_t const leaves_;
  std::vector<std::uint64_t> keys_;
};

}  // namespace ashlar::sim
