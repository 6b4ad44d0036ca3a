// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sched/api/numa_allocation.h>

#include "os/numa_memory.h"
#include "os/page_size.h"

#include <ashlar/sched/api/info.h>

#include <algorithm>
#include <new>

namespace ashlar::inline v1::sched {

void* allocate_interleaved(std::size_t bytes, std::vector<tbb::numa_node_id> const* nodes, std::size_t chunk) noexcept {
  if (bytes == 0 || chunk % os::page_size() != 0) return nullptr;
  ASHLAR_TRY {
    std::vector<tbb::numa_node_id> const known = machine_numa_nodes();
    if (nodes == nullptr) nodes = &known;
    auto const is_known = [&](int node) { return std::find(known.begin(), known.end(), node) != known.end(); };
    if (nodes->empty() || !std::all_of(nodes->begin(), nodes->end(), is_known)) return nullptr;
    return os::map_interleaved(bytes, nodes->data(), nodes->size(), chunk != 0 ? chunk : os::page_size());
  }
  ASHLAR_CATCH_ALL {
    return nullptr;  // no memory for the list of nodes
  }
}

void deallocate_interleaved(void* p, std::size_t bytes) noexcept { os::unmap_interleaved(p, bytes); }

}  // namespace ashlar::inline v1::sched
