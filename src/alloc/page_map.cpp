// SPDX-License-Identifier: Apache-2.0
#include "alloc/page_map.h"

#include "alloc/os_memory.h"

namespace ashlar::inline v1::alloc {

constinit page_map map;

bool page_map::cover(std::uintptr_t start, std::size_t bytes) noexcept {
  std::uintptr_t const last = start + bytes - 1;
  if (last >> address_bits || last < start) {
    return false;
  }
  for (std::uintptr_t i = start >> leaf_shift; i <= last >> leaf_shift; ++i) {
    if (!leaves_[i].load(mo::relaxed)) {
      void* const memory = os_map(sizeof(leaf));
      if (memory == nullptr) {
        return false;
      }
      leaves_[i].store(static_cast<leaf*>(memory), mo::release);  // [PM1]
    }
  }
  return true;
}

}  // namespace ashlar::inline v1::alloc
