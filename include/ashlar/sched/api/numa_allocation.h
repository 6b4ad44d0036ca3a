// SPDX-License-Identifier: Apache-2.0
// Memory that is spread over NUMA nodes. Users include <tbb/numa_allocation.h>.
#pragma once

#include <ashlar/sched/arena/arena_settings.h>

#include <cstddef>
#include <vector>

namespace ashlar {
inline namespace v1 {
namespace sched {

/// `nodes` null and `count` 0: all nodes of the process.
ASHLAR_EXPORT void* allocate_interleaved(std::size_t bytes, tbb::numa_node_id const* nodes, std::size_t count,
                                         std::size_t chunk) noexcept;
ASHLAR_EXPORT void deallocate_interleaved(void* p, std::size_t bytes) noexcept;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar

namespace tbb {

/// Memory for large data that threads of several nodes use: `bytes_per_chunk` (0: a page) from each node in turn.
/// Zeros, aligned to a page, straight from the system: nothing is cached. The nodes are a wish; on a system that can't
/// heed it the memory is ordinary. Null if there is no memory, and for bad arguments: 0 bytes, chunks of no whole
/// pages, no nodes, or one that info::numa_nodes() doesn't name. A node may be named several times. Thread-safe; never
/// throws.
inline void* allocate_numa_interleaved(std::size_t bytes, std::size_t bytes_per_chunk = 0) {
  return ashlar::sched::allocate_interleaved(bytes, nullptr, 0, bytes_per_chunk);
}
inline void* allocate_numa_interleaved(std::size_t bytes, std::vector<numa_node_id> const& nodes,
                                       std::size_t bytes_per_chunk = 0) {
  if (nodes.empty()) return nullptr;
  return ashlar::sched::allocate_interleaved(bytes, nodes.data(), nodes.size(), bytes_per_chunk);
}
/// With the size that was asked for. Null is nothing.
inline void deallocate_numa_interleaved(void* p, std::size_t bytes) { ashlar::sched::deallocate_interleaved(p, bytes); }

}  // namespace tbb
