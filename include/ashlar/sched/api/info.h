// SPDX-License-Identifier: Apache-2.0
// Namespace tbb::info: what the machine offers to this process. Users include <tbb/info.h>.
#pragma once

#include <ashlar/sched/arena/arena_settings.h>

#include <cstddef>
#include <tuple>
#include <vector>

namespace ashlar {
inline namespace v1 {
namespace sched {

/// Of the CPUs in the process's affinity mask, as sysfs (or hwloc: docs/environment.md) tells at the first call. Writes
/// as many as there is room for, and returns how many there are. No container crosses the library's border: a program
/// may be compiled with another layout of the standard library's (-D_GLIBCXX_DEBUG).
ASHLAR_EXPORT std::size_t machine_numa_nodes(tbb::numa_node_id* to, std::size_t room);
ASHLAR_EXPORT std::size_t machine_core_types(tbb::core_type_id* to, std::size_t room);

template <typename Id>
std::vector<Id> list_of(std::size_t (*machine_ids)(Id*, std::size_t)) {
  std::vector<Id> ids(machine_ids(nullptr, 0));
  machine_ids(ids.data(), ids.size());
  return ids;
}

/// constraints::core_type holds one type, or, with this bit, a set of types: bit i for type i.
inline constexpr int several_core_types = 1 << 28;
constexpr bool has_core_type(int setting, int type) noexcept {
  return (setting & several_core_types) != 0 ? ((setting >> type) & 1) != 0 : setting == type;
}

/// The core types to which the selector gives a positive score; `automatic` if there is none.
template <typename Selector>
tbb::core_type_id core_types_of_selector(Selector selector) {
  std::vector<tbb::core_type_id> const types = list_of<tbb::core_type_id>(machine_core_types);
  int const count = static_cast<int>(types.size());
  int chosen = 0;
  for (int i = 0; i < count; ++i) {
    tbb::core_type_id const id = types[static_cast<std::size_t>(i)];
    if (id >= 0 && id < 28 && selector(std::make_tuple(id, i, count)) > 0) chosen |= 1 << id;
  }
  return chosen != 0 ? chosen | several_core_types : automatic_setting;
}

}  // namespace sched
}  // namespace v1
}  // namespace ashlar

namespace tbb {
namespace info {

/// The NUMA nodes and core types (from the slowest) on which this process may run; {-1} if the system doesn't tell.
inline std::vector<numa_node_id> numa_nodes() {
  return ashlar::sched::list_of<numa_node_id>(ashlar::sched::machine_numa_nodes);
}
inline std::vector<core_type_id> core_types() {
  return ashlar::sched::list_of<core_type_id>(ashlar::sched::machine_core_types);
}

/// The number of threads that an arena gets which asks for nothing, for one node, or for what the constraints say.
inline int default_concurrency(numa_node_id id = ashlar::sched::automatic_setting) {
  return ashlar::sched::constrained_concurrency(ashlar::sched::constraints(id));
}
inline int default_concurrency(ashlar::sched::constraints const& c) {
  return ashlar::sched::constrained_concurrency(c);
}
/// For the core types that the selector, called with (id, index, count) of each, gives a positive score.
template <typename Selector>
int default_concurrency(ashlar::sched::constraints c, Selector selector) {
  return ashlar::sched::constrained_concurrency(ashlar::sched::select_core_types(c, selector));
}

}  // namespace info
}  // namespace tbb
