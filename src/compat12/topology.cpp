// SPDX-License-Identifier: Apache-2.0
// tbb::info of foreign programs. NUMA nodes have the system's numbers, as for native code, also where oneTBB without
// hwloc would know of one node, -1 (docs/decisions/0010).
#include "contract.h"

#include <ashlar/sched/api/info.h>

namespace tbb::detail::r1 {

namespace sched = ashlar::sched;

static sched::constraints native(d1::constraints const& f) noexcept {
  sched::constraints c(f.numa_id, f.max_concurrency);
  c.core_type = f.core_type;  // a set of types has the same form
  c.max_threads_per_core = f.max_threads_per_core;
  return c;
}

ASHLAR_EXPORT unsigned numa_node_count() { return static_cast<unsigned>(sched::machine_numa_nodes(nullptr, 0)); }
ASHLAR_EXPORT void fill_numa_indices(int* to) { sched::machine_numa_nodes(to, numa_node_count()); }
ASHLAR_EXPORT int numa_default_concurrency(int node) {
  return sched::constrained_concurrency(sched::constraints(node));
}
ASHLAR_EXPORT unsigned core_type_count(std::intptr_t) {
  return static_cast<unsigned>(sched::machine_core_types(nullptr, 0));
}
ASHLAR_EXPORT void fill_core_type_indices(int* to, std::intptr_t) { sched::machine_core_types(to, core_type_count(0)); }
ASHLAR_EXPORT int constraints_default_concurrency(d1::constraints const& c, std::intptr_t) {
  return sched::constrained_concurrency(native(c));
}
ASHLAR_EXPORT int constraints_threads_per_core(d1::constraints const& c, std::intptr_t) {
  return c.max_threads_per_core;
}

}  // namespace tbb::detail::r1
