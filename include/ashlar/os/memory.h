// SPDX-License-Identifier: Apache-2.0
// The memory of libtbb and of its containers: the scalable allocator if libtbbmalloc is in the process or lies where
// the loader finds it, else malloc. Which one is decided at the first call and stays. Any thread may call.
#pragma once

#include <ashlar/base/config.h>

#include <cstddef>

namespace ashlar {
inline namespace v1 {

// Memory aligned to 16 bytes; throws std::bad_alloc. Null is never returned and may be freed.
ASHLAR_EXPORT void* allocate_memory(std::size_t bytes);
ASHLAR_EXPORT void deallocate_memory(void* p) noexcept;

// Memory whose cache lines nobody else uses: aligned to `no_sharing` (base/cache_line.h).
ASHLAR_EXPORT void* allocate_cache_aligned(std::size_t bytes);
ASHLAR_EXPORT void deallocate_cache_aligned(void* p) noexcept;

// Asks for huge pages behind memory that is about to be used wholly and at random; a hint only. Small blocks are
// left alone.
ASHLAR_EXPORT void prefer_huge_pages(void* p, std::size_t bytes) noexcept;

// Gives the whole pages between `begin` and `end` back to the system, and those at the ends, too, if said so. They stay
// there and read as zeros. False if that can't be done, as with memory that is not private and anonymous, or is locked;
// then nothing has changed.
ASHLAR_EXPORT bool drop_pages(void* begin, void* end, bool first_too, bool last_too) noexcept;

// For a thread that is about to sleep for long: hands back what it freed of other threads' memory.
void settle_memory() noexcept;

// True if the scalable allocator serves these functions.
ASHLAR_EXPORT bool memory_is_scalable() noexcept;

}  // namespace v1
}  // namespace ashlar
