// SPDX-License-Identifier: Apache-2.0
// Size classes: multiples of 16 up to 256 bytes, then eight per doubling up to 128 KB, so that two adjacent
// classes above 64 bytes differ by at most 25 % and above 128 bytes by at most 12.5 %. A class is a small integer;
// everything about it is a pure function, and sizes up to 1 KB are looked up in a table of bytes.
#pragma once

#include <ashlar/base/config.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace alloc {

inline constexpr std::size_t granule = 16;              // least alignment and least object
inline constexpr std::size_t table_limit = 1024;        // sizes up to here use the table
inline constexpr std::size_t small_limit = 128 * 1024;  // above: a large object
inline constexpr unsigned linear_classes = 16;          // 16 .. 256
inline constexpr unsigned class_count = linear_classes + 9 * 8;

constexpr unsigned compute_class(std::size_t size) noexcept {
  std::size_t const s = size ? size - 1 : 0;
  if (s < 256) {
    return static_cast<unsigned>(s >> 4);
  }
  unsigned const log = 63u - static_cast<unsigned>(__builtin_clzll(s));
  return linear_classes - 8 + (log - 8) * 8 + static_cast<unsigned>(s >> (log - 3));
}

constexpr std::size_t class_size(unsigned c) noexcept {
  if (c < linear_classes) {
    return (c + 1) * granule;
  }
  unsigned const k = c - linear_classes;
  return static_cast<std::size_t>(9 + k % 8) << (5 + k / 8);
}

inline constexpr auto class_table = [] {
  std::array<std::uint8_t, table_limit + 1> t{};
  for (std::size_t s = 0; s <= table_limit; ++s) {
    t[s] = static_cast<std::uint8_t>(compute_class(s));
  }
  return t;
}();

// For sizes above the table and up to small_limit: no special cases.
ASHLAR_ALWAYS_INLINE unsigned medium_class(std::size_t size) noexcept {
  std::size_t const s = size - 1;
  unsigned const log = 63u ^ static_cast<unsigned>(__builtin_clzll(s));
  return (log << 3) - 56 + static_cast<unsigned>(s >> (log - 3));
}

// Memory is handed out in units; a page is a run of them. Short pages become wholly free earlier, which is what keeps
// a program small whose sizes drift; so small objects have pages of one unit, and larger ones start with short pages.
inline constexpr std::size_t unit_shift = 14;
inline constexpr std::size_t unit_bytes = std::size_t{1} << unit_shift;

constexpr unsigned page_units(unsigned c, bool many) noexcept {
  std::size_t const size = class_size(c);
  if (size <= 512) {
    return 1;
  }
  if (size <= 1024) {
    return many ? 2 : 1;
  }
  if (size <= 2048) {
    return many ? 4 : 2;
  }
  if (size <= 8 * 1024) {
    return 4;
  }
  if (size <= 32 * 1024) {
    return 8;
  }
  return size <= 64 * 1024 ? 16 : 32;
}

static_assert(class_size(class_count - 1) == small_limit);
static_assert(compute_class(small_limit) == class_count - 1);
static_assert(class_size(compute_class(257)) == 288 && class_size(compute_class(289)) == 320);

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar
