// SPDX-License-Identifier: Apache-2.0
// Objects above small_limit, or aligned beyond a unit: whole runs of units. Freed ones stay with the thread, 4 MB of
// them at most, and go to the backend then; huge ones have a cache of their own (huge_cache.h). Any thread may free.
#pragma once

#include "alloc/large_cache.h"
#include "alloc/rare_classes.h"

namespace ashlar {
inline namespace v1 {
namespace alloc {

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
