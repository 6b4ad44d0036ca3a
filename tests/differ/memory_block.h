// SPDX-License-Identifier: Apache-2.0
// A block that was allocated, and what it was filled with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace differ {

constexpr std::size_t block_sizes[] = {0,    1,    7,    8,    63,    64,    65,     127,
                                       1000, 4096, 8128, 8129, 20000, 65536, 200000, 1500000};
constexpr std::size_t absurd_sizes[] = {SIZE_MAX, SIZE_MAX - 15, SIZE_MAX / 2, SIZE_MAX - 4095};

struct block {
  unsigned char* at = nullptr;
  std::size_t size = 0;
  unsigned char filling = 0;
  bool aligned = false;

  void fill(int with) {
    filling = static_cast<unsigned char>(with);
    if (at != nullptr && size != 0) std::memset(at, filling, size);
  }
  bool whole(std::size_t up_to) const {
    for (std::size_t i = 0; i < std::min(size, up_to); ++i) {
      if (at[i] != filling) return false;
    }
    return true;
  }
};

}  // namespace differ
