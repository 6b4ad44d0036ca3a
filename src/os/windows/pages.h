// SPDX-License-Identifier: Apache-2.0
// Pages of Windows (os/pages.h), which are reserved and given back as they were reserved: of a part the memory is given
// back, and its addresses stay taken.
#pragma once

#include "os/windows/system.h"

#include <cstddef>
#include <cstdlib>

namespace ashlar {
inline namespace v1 {
namespace os {

inline std::size_t page_size() noexcept {
  SYSTEM_INFO about;
  ::GetSystemInfo(&about);
  return about.dwPageSize;
}
inline void* map_pages(std::size_t bytes) noexcept {
  return ::VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}
inline void* map_stack(std::size_t bytes) noexcept { return map_pages(bytes); }
inline bool unmap_pages(void* p, std::size_t bytes) noexcept {
  MEMORY_BASIC_INFORMATION first{};
  MEMORY_BASIC_INFORMATION beyond{};
  if (::VirtualQuery(p, &first, sizeof first) == 0) return false;
  if (first.Type == MEM_MAPPED) return ::UnmapViewOfFile(p) != 0;
  bool const known = ::VirtualQuery(static_cast<char*>(p) + bytes, &beyond, sizeof beyond) != 0;
  bool const whole = first.AllocationBase == p &&
                     (!known || beyond.State == MEM_FREE || beyond.AllocationBase != first.AllocationBase);
  return whole ? ::VirtualFree(p, 0, MEM_RELEASE) != 0 : ::VirtualFree(p, bytes, MEM_DECOMMIT) != 0;
}
inline bool empty_pages(void* p, std::size_t bytes) noexcept {
  if (::VirtualFree(p, bytes, MEM_DECOMMIT) == 0) return false;
  // What was just given back is there, unless another process took it: then there is nothing to go on with.
  if (::VirtualAlloc(p, bytes, MEM_COMMIT, PAGE_READWRITE) == nullptr) std::abort();
  return true;
}
inline bool empty_private_pages(void* p, std::size_t bytes) noexcept {
  MEMORY_BASIC_INFORMATION about{};
  bool const known = ::VirtualQuery(p, &about, sizeof about) != 0 && about.RegionSize >= bytes;
  return known && about.Type == MEM_PRIVATE && about.Protect == PAGE_READWRITE && empty_pages(p, bytes);
}
inline bool set_accessible(void* p, std::size_t bytes, bool accessible) noexcept {
  DWORD before = 0;
  return ::VirtualProtect(p, bytes, accessible ? PAGE_READWRITE : PAGE_NOACCESS, &before) != 0;
}
inline void want_huge_pages(void*, std::size_t) noexcept {}
inline bool may_have_huge_pages() noexcept { return false; }
inline bool move_pages(void*, std::size_t, void*, std::size_t) noexcept { return false; }

}  // namespace os
}  // namespace v1
}  // namespace ashlar
