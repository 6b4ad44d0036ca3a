// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sched/api/numa_allocation.h>

#include "os/numa_memory.h"
#include "os/pages.h"

#include <ashlar/sched/api/info.h>

#include <algorithm>
#include <cerrno>
#include <new>

namespace ashlar::inline v1::sched {

void* allocate_interleaved(std::size_t bytes, tbb::numa_node_id const* nodes, std::size_t count,
                           std::size_t chunk) noexcept {
  if (bytes == 0 || chunk % os::page_size() != 0 || (nodes == nullptr) != (count == 0)) return nullptr;
  ASHLAR_TRY {
    int const saved = errno;
    std::vector<tbb::numa_node_id> const known = tbb::info::numa_nodes();  // the first call reads files
    errno = saved;
    if (nodes == nullptr) {
      nodes = known.data();
      count = known.size();
    }
    auto const is_known = [&](int node) { return std::find(known.begin(), known.end(), node) != known.end(); };
    if (count == 0 || !std::all_of(nodes, nodes + count, is_known)) return nullptr;
    return os::map_interleaved(bytes, nodes, count, chunk != 0 ? chunk : os::page_size());
  }
  ASHLAR_CATCH_ALL {
    return nullptr;  // no memory for the list of nodes
  }
}

void deallocate_interleaved(void* p, std::size_t bytes) noexcept { os::unmap_interleaved(p, bytes); }

}  // namespace ashlar::inline v1::sched
