// SPDX-License-Identifier: Apache-2.0
#include "os/cpu_sets.h"

#include <map>
#include <utility>

namespace ashlar::inline v1::os {

std::vector<cpu_group> numa_groups(topology const& machine, std::vector<unsigned> const& allowed) {
  std::map<unsigned, std::vector<unsigned>> nodes;
  for (unsigned cpu : allowed) {
    unsigned const node = machine.at(cpu).node;
    if (node != topology::unknown) nodes[node].push_back(cpu);
  }
  std::vector<cpu_group> groups;
  for (auto& [node, cpus] : nodes) groups.push_back({static_cast<int>(node), std::move(cpus)});
  return groups;
}

std::vector<cpu_group> core_kinds(topology const& machine, std::vector<unsigned> const& allowed) {
  std::map<unsigned, std::vector<unsigned>> kinds;
  for (unsigned cpu : allowed) kinds[machine.at(cpu).kind].push_back(cpu);
  std::vector<cpu_group> groups;
  for (auto& [kind, cpus] : kinds) groups.push_back({static_cast<int>(groups.size()), std::move(cpus)});
  return groups;
}

std::vector<unsigned> limited_per_core(topology const& machine, std::vector<unsigned> const& cpus, unsigned per_core) {
  std::map<unsigned, unsigned> threads;  // by core
  std::vector<unsigned> kept;
  for (unsigned cpu : cpus) {
    unsigned const core = machine.at(cpu).core;
    if (++threads[core == topology::unknown ? cpu : core] <= per_core) kept.push_back(cpu);
  }
  return kept;
}

}  // namespace ashlar::inline v1::os
