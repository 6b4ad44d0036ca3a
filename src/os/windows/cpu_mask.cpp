// SPDX-License-Identifier: Apache-2.0
// Affinity masks of Windows: those of one group of 64 processors.
#include "os/cpu_sets.h"

#include "os/windows/system.h"

#include <cstdint>
#include <numeric>

namespace ashlar::inline v1::os {

namespace {

constexpr unsigned group_size = 64;

std::vector<unsigned> cpus_in(std::uint64_t bits, unsigned group) {
  std::vector<unsigned> list;
  for (unsigned i = 0; i < group_size; ++i) {
    if ((bits >> i & 1) != 0) list.push_back(group * group_size + i);
  }
  return list;
}

}  // namespace

std::vector<unsigned> allowed_cpus() {
  DWORD_PTR process = 0, system = 0;
  bool const told = ::GetProcessAffinityMask(::GetCurrentProcess(), &process, &system) != 0 && process != 0;
  if (told && ::GetActiveProcessorGroupCount() == 1) return cpus_in(process, 0);
  std::vector<unsigned> all(processors_on_line());
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

cpu_mask::cpu_mask(std::vector<unsigned> const& cpus) {
  constexpr unsigned width = 8 * sizeof(unsigned long);
  for (unsigned cpu : cpus) {
    if (cpu / width >= bits_.size()) bits_.resize(cpu / width + 1);
    bits_[cpu / width] |= 1ul << cpu % width;
  }
}

cpu_mask cpu_mask::of_this_thread() {
  GROUP_AFFINITY now{};
  if (::GetThreadGroupAffinity(::GetCurrentThread(), &now) == 0) return cpu_mask({});
  return cpu_mask(cpus_in(now.Mask, now.Group));
}

bool cpu_mask::apply() const noexcept {
  constexpr unsigned width = 8 * sizeof(unsigned long);
  GROUP_AFFINITY wish{};
  bool found = false;
  for (unsigned i = 0; i < bits_.size(); ++i) {
    if (bits_[i] == 0) continue;
    auto const group = static_cast<WORD>(i * width / group_size);
    if (found && group != wish.Group) return false;
    wish.Group = group;
    wish.Mask |= static_cast<KAFFINITY>(bits_[i]) << i * width % group_size;
    found = true;
  }
  return found && ::SetThreadGroupAffinity(::GetCurrentThread(), &wish, nullptr) != 0;
}

}  // namespace ashlar::inline v1::os
