// SPDX-License-Identifier: Apache-2.0
// Pages, as macOS and FreeBSD have them besides what POSIX says (os/pages.h).
#pragma once

#include <sys/mman.h>

#include <cstddef>

namespace ashlar {
inline namespace v1 {
namespace os {

inline void* map_pages(std::size_t bytes) noexcept {
  void* const p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}
// FreeBSD's MAP_STACK is for stacks that the system makes larger.
inline void* map_stack(std::size_t bytes) noexcept { return map_pages(bytes); }
// No advice empties pages for certain: they are mapped anew.
inline bool empty_pages(void* p, std::size_t bytes) noexcept {
  int const flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  return ::mmap(p, bytes, PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED;
}
// Whether memory is shared, or locked, nothing tells soon enough.
inline bool empty_private_pages(void*, std::size_t) noexcept { return false; }
inline void want_huge_pages(void*, std::size_t) noexcept {}
inline bool may_have_huge_pages() noexcept { return false; }
inline bool move_pages(void*, std::size_t, void*, std::size_t) noexcept { return false; }

}  // namespace os
}  // namespace v1
}  // namespace ashlar
