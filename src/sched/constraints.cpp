// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sched/arena_settings.h>
#include <ashlar/sched/info.h>

#include "os/cpu_sets.h"
#include "sched/market.h"

#include <algorithm>
#include <iterator>

namespace ashlar::sched {

namespace {

constexpr char sysfs[] = "/sys";

struct machine {
  std::vector<unsigned> allowed = os::allowed_cpus();
  std::vector<os::cpu_group> nodes = os::numa_groups(sysfs, allowed);
  std::vector<os::cpu_group> kinds = os::core_kinds(sysfs, allowed);
};

machine const& this_machine() {
  static machine const m;
  return m;
}

// The CPUs that are in one of the chosen groups too.
template <typename Chosen>
void restrict_to(std::vector<unsigned>& cpus, std::vector<os::cpu_group> const& groups, Chosen const& chosen) {
  std::vector<unsigned> wanted;
  for (os::cpu_group const& g : groups) {
    if (chosen(g.id)) wanted.insert(wanted.end(), g.cpus.begin(), g.cpus.end());
  }
  std::sort(wanted.begin(), wanted.end());
  std::vector<unsigned> both;
  std::set_intersection(cpus.begin(), cpus.end(), wanted.begin(), wanted.end(), std::back_inserter(both));
  // A constraint that leaves nothing is ignored.
  if (!both.empty()) cpus = std::move(both);
}

template <typename Id>
std::vector<Id> ids_of(std::vector<os::cpu_group> const& groups) {
  std::vector<Id> ids;
  for (os::cpu_group const& g : groups) ids.push_back(g.id);
  if (ids.empty()) ids.push_back(automatic_setting);
  return ids;
}

}  // namespace

int constrained_concurrency(constraints const& c) {
  if (c.max_concurrency > 0) return c.max_concurrency;
  auto const most = static_cast<int>(market::get().default_concurrency());
  if (c.numa_id < 0 && c.core_type < 0 && c.max_threads_per_core <= 0) return most;
  machine const& m = this_machine();
  std::vector<unsigned> cpus = m.allowed;
  if (c.numa_id >= 0) restrict_to(cpus, m.nodes, [&](int id) { return id == c.numa_id; });
  if (c.core_type >= 0) restrict_to(cpus, m.kinds, [&](int id) { return has_core_type(c.core_type, id); });
  std::size_t threads = cpus.size();
  if (c.max_threads_per_core > 0) {
    threads = os::limited_per_core(sysfs, cpus, static_cast<unsigned>(c.max_threads_per_core));
  }
  return std::clamp(static_cast<int>(threads), 1, most);
}

std::vector<tbb::numa_node_id> machine_numa_nodes() { return ids_of<tbb::numa_node_id>(this_machine().nodes); }
std::vector<tbb::core_type_id> machine_core_types() { return ids_of<tbb::core_type_id>(this_machine().kinds); }

}  // namespace ashlar::sched
