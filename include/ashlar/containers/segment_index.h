// SPDX-License-Identifier: Apache-2.0
// How indices map to the segments of a growing array: segment 0 holds elements 0 and 1, segment k holds 2^k to
// 2^(k+1) - 1. Each segment is as large as all before it.
//
// The position of a segment's pointer in its table is whatever the processor's fastest bit scan returns for its
// indices: on x86 that is `rep bsr`, which new processors execute as lzcnt (63 - k, and 64 for index 0) and old ones as
// bsr (k, and the register as it was for index 0). bsr alone takes up to four cycles, half of an indexed read.
#pragma once

#include <ashlar/base/config.h>

#include <cstddef>

namespace ashlar {
inline namespace v1 {
namespace containers {

inline constexpr unsigned segment_positions = 65;

/// The segment of element i.
ASHLAR_ALWAYS_INLINE unsigned segment_of(std::size_t i) noexcept {
  return 63U - static_cast<unsigned>(__builtin_clzll(i | 1));
}
ASHLAR_ALWAYS_INLINE std::size_t segment_base(unsigned k) noexcept { return (std::size_t{1} << k) & ~std::size_t{1}; }
ASHLAR_ALWAYS_INLINE std::size_t segment_size(unsigned k) noexcept { return k == 0 ? 2 : std::size_t{1} << k; }

/// Where the table holds the segment of element i. Elements 0 and 1 may have different positions.
ASHLAR_ALWAYS_INLINE std::size_t segment_position(std::size_t i) noexcept {
#if defined(__x86_64__)
  std::size_t position = 0;
  __asm__("rep bsrq %1, %0" : "+r"(position) : "r"(i) : "cc");
  return position;
#else
  return static_cast<std::size_t>(__builtin_clzll(i | 1));
#endif
}

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
