// SPDX-License-Identifier: Apache-2.0
// Where the system takes no wish for where memory lies.
#include "os/numa_memory.h"

#include "os/pages.h"

namespace ashlar::inline v1::os {

namespace {

std::size_t whole_pages(std::size_t bytes) noexcept { return (bytes + page_size() - 1) / page_size() * page_size(); }

}  // namespace

void* map_interleaved(std::size_t bytes, int const*, std::size_t, std::size_t) noexcept {
  return bytes > static_cast<std::size_t>(-1) / 2 ? nullptr : map_pages(whole_pages(bytes));
}

void unmap_interleaved(void* p, std::size_t bytes) noexcept {
  if (p != nullptr) unmap_pages(p, whole_pages(bytes));
}

}  // namespace ashlar::inline v1::os
