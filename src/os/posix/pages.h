// SPDX-License-Identifier: Apache-2.0
// Of os/pages.h, what POSIX has, with the anonymous mappings that all its systems know.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

namespace ashlar {
inline namespace v1 {
namespace os {

inline std::size_t page_size() noexcept { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

inline bool unmap_pages(void* p, std::size_t bytes) noexcept { return ::munmap(p, bytes) == 0; }
inline bool set_accessible(void* p, std::size_t bytes, bool accessible) noexcept {
  return ::mprotect(p, bytes, accessible ? PROT_READ | PROT_WRITE : PROT_NONE) == 0;
}

}  // namespace os
}  // namespace v1
}  // namespace ashlar
