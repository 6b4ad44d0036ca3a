// SPDX-License-Identifier: Apache-2.0
// The memory functions behind oneTBB's allocators and containers.
#include "contract.h"

#include <ashlar/base/cache_line.h>
#include <ashlar/os/memory.h>
#include <ashlar/sched/api/numa_allocation.h>

namespace tbb::detail::r1 {

ASHLAR_EXPORT void* allocate_memory(std::size_t bytes) { return ashlar::allocate_memory(bytes); }
ASHLAR_EXPORT void deallocate_memory(void* p) { ashlar::deallocate_memory(p); }
ASHLAR_EXPORT void* cache_aligned_allocate(std::size_t bytes) { return ashlar::allocate_cache_aligned(bytes); }
ASHLAR_EXPORT void cache_aligned_deallocate(void* p) { ashlar::deallocate_cache_aligned(p); }
ASHLAR_EXPORT std::size_t cache_line_size() { return ashlar::no_sharing; }
ASHLAR_EXPORT bool is_tbbmalloc_used() { return ashlar::memory_is_scalable(); }

// Null for `nodes`: all of the process's.
ASHLAR_EXPORT void* allocate_interleaved(std::size_t bytes, int const* nodes, std::size_t count, std::size_t chunk) {
  return ashlar::sched::allocate_interleaved(bytes, nodes, count, chunk);
}
ASHLAR_EXPORT void deallocate_interleaved(void* p, std::size_t bytes) {
  ashlar::sched::deallocate_interleaved(p, bytes);
}

}  // namespace tbb::detail::r1
