// SPDX-License-Identifier: Apache-2.0
// What the allocator asks of the system: memory, a coarse clock, and an end with a message. Nothing here allocates,
// takes a lock or changes errno; any thread may call, also before main and in a forked child.
#pragma once

#include <ashlar/base/config.h>

#include <cstddef>
#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace alloc {

// The kernel's page, a power of two: memory is mapped, given back and protected in multiples of it. Kernels have 4, 16
// or 64 KiB; what they are asked to do with less than a page they do with all of it, so the functions below leave out
// pages that lie only partly in their range.
std::size_t system_page() noexcept;

// Zeroed memory, aligned to a page; null if the system refuses.
void* os_map(std::size_t bytes) noexcept;
// A range of whole pages. False: the system refused (too many mappings) and the memory is still there.
bool os_unmap(void* p, std::size_t bytes) noexcept;
// Gives the contents back; the range reads as zeroes afterwards. Parts of pages at its ends keep their memory.
void os_purge(void* p, std::size_t bytes) noexcept;
// Makes memory inaccessible or accessible again, its contents stay. A guard is not owed: the system may have too many
// mappings already, or pages that are longer than the guard.
void os_guard(void* p, std::size_t bytes, bool on) noexcept;
void os_want_huge_pages(void* p, std::size_t bytes) noexcept;
// Whether the system may heed that.
bool os_has_huge_pages() noexcept;
// Moves the memory behind [from, from + old_bytes) to `to` (already mapped, replaced), and unmaps the old range. False:
// the system refused, or these are not whole pages.
bool os_move(void* from, std::size_t old_bytes, void* to, std::size_t new_bytes) noexcept;

// Milliseconds, with the precision of a timer tick.
std::uint64_t coarse_ms() noexcept;

// Prints one line that names the pointer and aborts.
[[noreturn]] ASHLAR_COLD void fatal(char const* what, void const* p) noexcept;

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar
