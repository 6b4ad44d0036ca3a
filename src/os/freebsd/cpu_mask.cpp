// SPDX-License-Identifier: Apache-2.0
// Affinity masks of FreeBSD.
#include "os/cpu_sets.h"

#include "os/freebsd/cpu_set.h"

namespace ashlar::inline v1::os {

namespace {

std::vector<unsigned> cpus_of(cpuwhich_t which) {
  std::vector<unsigned> list;
  cpuset_t set;
  if (!read_cpu_set(which, set)) return list;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) list.push_back(cpu);
  }
  return list;
}

}  // namespace

std::vector<unsigned> allowed_cpus() { return cpus_of(CPU_WHICH_PID); }

cpu_mask::cpu_mask(std::vector<unsigned> const& cpus) {
  constexpr unsigned width = 8 * sizeof(unsigned long);
  for (unsigned cpu : cpus) {
    if (cpu / width >= bits_.size()) bits_.resize(cpu / width + 1);
    bits_[cpu / width] |= 1ul << cpu % width;
  }
}

cpu_mask cpu_mask::of_this_thread() { return cpu_mask(cpus_of(CPU_WHICH_TID)); }

bool cpu_mask::apply() const noexcept {
  if (bits_.empty()) return false;
  constexpr unsigned width = 8 * sizeof(unsigned long);
  cpuset_t set;
  CPU_ZERO(&set);
  for (unsigned cpu = 0; cpu < CPU_SETSIZE && cpu / width < bits_.size(); ++cpu) {
    if ((bits_[cpu / width] >> cpu % width & 1) != 0) CPU_SET(cpu, &set);
  }
  return ::cpuset_setaffinity(CPU_LEVEL_WHICH, CPU_WHICH_TID, -1, sizeof set, &set) == 0;
}

}  // namespace ashlar::inline v1::os
