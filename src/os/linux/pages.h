// SPDX-License-Identifier: Apache-2.0
// Of os/pages.h, what is Linux's own. MADV_DONTNEED of private memory leaves zeros here, which POSIX doesn't promise.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

namespace ashlar {
inline namespace v1 {
namespace os {

inline void* map_pages(std::size_t bytes) noexcept {
  void* const p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}
inline void* map_stack(std::size_t bytes) noexcept {
  void* const p =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}
inline bool empty_pages(void* p, std::size_t bytes) noexcept { return ::madvise(p, bytes, MADV_DONTNEED) == 0; }
inline bool empty_private_pages(void* p, std::size_t bytes) noexcept {
  // The first call refuses whatever would not read as zeros after the second one.
  return ::madvise(p, bytes, MADV_FREE) == 0 && empty_pages(p, bytes);
}
inline void want_huge_pages(void* p, std::size_t bytes) noexcept { (void)::madvise(p, bytes, MADV_HUGEPAGE); }
inline bool may_have_huge_pages() noexcept {
  char text[64] = {};
  int const file = ::open("/sys/kernel/mm/transparent_hugepage/enabled", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t const n = ::read(file, text, sizeof text - 1);
  ::close(file);
  return n > 0 && std::strstr(text, "[never]") == nullptr;
}
inline bool move_pages(void* from, std::size_t old_bytes, void* to, std::size_t new_bytes) noexcept {
  return ::mremap(from, old_bytes, new_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED;
}

}  // namespace os
}  // namespace v1
}  // namespace ashlar
