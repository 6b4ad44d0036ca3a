// SPDX-License-Identifier: Apache-2.0
// Objects above small_limit, or aligned beyond a unit: whole runs of units. Freed ones stay with the thread, 4 MB of
// them at most, and go to the backend then; huge ones have a cache of their own (huge_cache.h). Any thread may free.
#pragma once

#include "alloc/large_cache.h"
#include "alloc/rare_classes.h"

namespace ashlar {
inline namespace v1 {
namespace alloc {

// Beyond this no system has the memory, and below it sums of an object's and an alignment's units can't overflow.
inline constexpr std::size_t absurd_size = std::size_t{1} << 44;
static_assert(absurd_size >> unit_shift <= 1u << 30);

constexpr std::uint32_t units_for(std::size_t size) noexcept {
  return static_cast<std::uint32_t>((size + unit_bytes - 1) >> unit_shift);
}

// The run of a large object: a thirty-second more of address space than it needs at most, so that the run can serve the
// next object of about the size.
constexpr std::uint32_t large_units(std::size_t size) noexcept {
  std::uint32_t const units = units_for(size + guard_bytes);
  std::uint32_t const step = units < 64 ? 1 : 1u << (26 - __builtin_clz(units));
  return (units + step - 1) & ~(step - 1);
}

ASHLAR_ALWAYS_INLINE void* hand_out_large(page* pg) noexcept {
  pg->kind.store(page_kind::large, mo::relaxed);
  return pg->begin();
}

// `kept` is what the calling thread keeps, null if it has no heap; `zeroed`, if not null, tells whether the memory
// reads as zeroes.
void* allocate_large(large_cache* kept, std::size_t size, std::size_t align, bool* zeroed) noexcept;
// The same for an object of a rare class; `alive` counts it as long as it lives.
void* allocate_alone(large_cache& kept, std::size_t size, rare_classes::counter& alive) noexcept;
void free_large(large_cache* kept, page* pg, void* p) noexcept;
// Grows or shrinks the object without copying it, in place or by page tables. Null: not possible.
void* resize_large(page* pg, std::size_t size) noexcept;

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar
