// SPDX-License-Identifier: Apache-2.0
// Memory from the system whose chunks lie on several NUMA nodes in turn. Any thread may call.
#pragma once

#include <cstddef>

namespace ashlar {
inline namespace v1 {
namespace os {

// Zeros, aligned to a page; null without memory. `chunk`: a multiple of the page size; `nodes`: not empty, as the
// system numbers them, a negative one is any. A wish: where the system can't heed it, memory comes from where there is
// some.
void* map_interleaved(std::size_t bytes, int const* nodes, std::size_t count, std::size_t chunk) noexcept;
void unmap_interleaved(void* p, std::size_t bytes) noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar
