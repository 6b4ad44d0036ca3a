// SPDX-License-Identifier: Apache-2.0
// The processors of FreeBSD.
#include "os/topology.h"

#include "os/freebsd/cpu_set.h"

#include <sched.h>
#include <unistd.h>

namespace ashlar::inline v1::os {

unsigned processors_on_line() noexcept {
  long const online = ::sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? static_cast<unsigned>(online) : 1;
}

unsigned affinity_cpus() noexcept {
  cpuset_t set;
  int const count = read_cpu_set(CPU_WHICH_PID, set) ? CPU_COUNT(&set) : 0;
  return count > 0 ? static_cast<unsigned>(count) : processors_on_line();
}

unsigned quota_cpus(unsigned otherwise) noexcept { return otherwise; }

unsigned current_cpu() noexcept {
  int const cpu = ::sched_getcpu();
  return cpu < 0 ? 0 : static_cast<unsigned>(cpu);
}

}  // namespace ashlar::inline v1::os
