// SPDX-License-Identifier: Apache-2.0
// Groups of the processors that this process may use: NUMA nodes, kinds of cores, cores. Any thread may call;
// std::bad_alloc may be thrown. What the system does not tell is one group.
#pragma once

#include "os/topology.h"

#include <vector>

namespace ashlar {
inline namespace v1 {
namespace os {

struct cpu_group {
  int id;
  std::vector<unsigned> cpus;  // ascending
};

// The CPUs in the process's affinity mask.
std::vector<unsigned> allowed_cpus();
// NUMA nodes with at least one of these CPUs, by ascending number; empty if the system knows none.
std::vector<cpu_group> numa_groups(topology const& machine, std::vector<unsigned> const& allowed);
// Kinds of cores among these CPUs, numbered from the slowest; one if they are all alike.
std::vector<cpu_group> core_kinds(topology const& machine, std::vector<unsigned> const& allowed);
// Those of the CPUs that remain if each core is used by at most `per_core` threads.
std::vector<unsigned> limited_per_core(topology const& machine, std::vector<unsigned> const& cpus, unsigned per_core);

// On which CPUs a thread may run, in the form that the system takes.
class cpu_mask {
 public:
  explicit cpu_mask(std::vector<unsigned> const& cpus);
  // That of the calling thread; empty if the system doesn't tell.
  static cpu_mask of_this_thread();

  // Makes it the calling thread's (1 to 2 us). False if the system refuses, for instance because the process has lost
  // these CPUs.
  bool apply() const noexcept;

 private:
  std::vector<unsigned long> bits_;
};

}  // namespace os
}  // namespace v1
}  // namespace ashlar
