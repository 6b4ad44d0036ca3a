// SPDX-License-Identifier: Apache-2.0
// The processors of macOS, which has no affinity of threads to one of them.
#include "os/topology.h"

#include <pthread.h>
#include <unistd.h>

namespace ashlar::inline v1::os {

unsigned processors_on_line() noexcept {
  long const online = ::sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? static_cast<unsigned>(online) : 1;
}

unsigned affinity_cpus() noexcept { return processors_on_line(); }

unsigned quota_cpus(unsigned otherwise) noexcept { return otherwise; }

unsigned current_cpu() noexcept {
  std::size_t cpu = 0;
  return ::pthread_cpu_number_np(&cpu) == 0 ? static_cast<unsigned>(cpu) : 0;
}

}  // namespace ashlar::inline v1::os
