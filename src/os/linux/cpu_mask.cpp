// SPDX-License-Identifier: Apache-2.0
#include "os/cpu_sets.h"

#include <sched.h>
#include <unistd.h>

namespace ashlar::inline v1::os {

namespace {

std::vector<unsigned> cpus_of(pid_t thread) {
  std::vector<unsigned> list;
  for (int cpus = CPU_SETSIZE; cpus <= 65536; cpus *= 2) {
    cpu_set_t* const mask = CPU_ALLOC(static_cast<std::size_t>(cpus));
    if (mask == nullptr) break;
    std::size_t const size = CPU_ALLOC_SIZE(cpus);
    CPU_ZERO_S(size, mask);
    bool const read = ::sched_getaffinity(thread, size, mask) == 0;
    for (int i = 0; read && i < cpus; ++i) {
      if (CPU_ISSET_S(static_cast<std::size_t>(i), size, mask)) list.push_back(static_cast<unsigned>(i));
    }
    CPU_FREE(mask);
    if (read) break;
  }
  return list;
}

}  // namespace

std::vector<unsigned> allowed_cpus() { return cpus_of(::getpid()); }

cpu_mask::cpu_mask(std::vector<unsigned> const& cpus) {
  constexpr unsigned width = 8 * sizeof(unsigned long);
  for (unsigned cpu : cpus) {
    if (cpu / width >= bits_.size()) bits_.resize(cpu / width + 1);
    bits_[cpu / width] |= 1ul << cpu % width;
  }
}

cpu_mask cpu_mask::of_this_thread() { return cpu_mask(cpus_of(0)); }

bool cpu_mask::apply() const noexcept {
  return !bits_.empty() &&
         ::sched_setaffinity(0, bits_.size() * sizeof bits_[0], reinterpret_cast<cpu_set_t const*>(bits_.data())) == 0;
}

}  // namespace ashlar::inline v1::os
