// SPDX-License-Identifier: Apache-2.0
// The kernel's pages: mapped, emptied, protected and given back. Any thread may call anything here, also before main
// and in a forked child: nothing allocates or takes a lock. errno may change. Inline, so that the allocator, which
// links nothing of this layer, has them.
//
// Kernels have pages of 4, 16 or 64 KiB (tools/check_pages.py). All ranges are whole pages.
#pragma once

#include <cstddef>

namespace ashlar {
inline namespace v1 {
namespace os {

// A power of two.
std::size_t page_size() noexcept;

// Zeros, readable and writable; null if the system refuses. Memory stands behind a page when it is touched.
void* map_pages(std::size_t bytes) noexcept;
// The same for a stack, below which nothing needs to be accessible.
void* map_stack(std::size_t bytes) noexcept;
// False: the system refused (too many mappings), and the memory is still there.
bool unmap_pages(void* p, std::size_t bytes) noexcept;
// Gives the memory back; the pages stay mapped and read as zeros. False: nothing has changed (locked memory).
bool empty_pages(void* p, std::size_t bytes) noexcept;
// The same only for memory that is private and anonymous: what would not read as zeros is refused.
bool empty_private_pages(void* p, std::size_t bytes) noexcept;
// Makes pages inaccessible, or accessible again with what they held. False: the system refused.
bool set_accessible(void* p, std::size_t bytes, bool accessible) noexcept;
// Asks for huge pages; a hint.
void want_huge_pages(void* p, std::size_t bytes) noexcept;
// Whether the system may heed that.
bool may_have_huge_pages() noexcept;
// Moves what lies at `from` to `to`, which is mapped and replaced, and unmaps the old range. False: the system refused,
// or can't do that; nothing has changed.
bool move_pages(void* from, std::size_t old_bytes, void* to, std::size_t new_bytes) noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar

#if defined(_WIN32)
#include "os/windows/pages.h"
#else
#if defined(__linux__)
#include "os/linux/pages.h"
#else
#include "os/bsd/pages.h"
#endif
#include "os/posix/pages.h"
#endif
