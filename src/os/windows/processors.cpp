// SPDX-License-Identifier: Apache-2.0
// The processors of Windows, in groups of 64.
#include "os/topology.h"

#include "os/windows/system.h"

#include <bit>
#include <cstdint>

namespace ashlar::inline v1::os {

unsigned processors_on_line() noexcept {
  DWORD const count = ::GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
  return count > 0 ? count : 1;
}

// A process in more than one group has no mask.
unsigned affinity_cpus() noexcept {
  DWORD_PTR process = 0, system = 0;
  bool const told = ::GetProcessAffinityMask(::GetCurrentProcess(), &process, &system) != 0 && process != 0;
  bool const one_group = ::GetActiveProcessorGroupCount() == 1;
  return told && one_group ? static_cast<unsigned>(std::popcount(std::uint64_t{process})) : processors_on_line();
}

unsigned quota_cpus(unsigned otherwise) noexcept { return otherwise; }

unsigned current_cpu() noexcept {
  PROCESSOR_NUMBER at{};
  ::GetCurrentProcessorNumberEx(&at);
  return at.Group * 64u + at.Number;
}

}  // namespace ashlar::inline v1::os
