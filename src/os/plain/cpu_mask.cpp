// SPDX-License-Identifier: Apache-2.0
// Where threads have no affinity: all CPUs are everybody's.
#include "os/cpu_sets.h"

#include <numeric>

namespace ashlar::inline v1::os {

std::vector<unsigned> allowed_cpus() {
  std::vector<unsigned> all(processors_on_line());
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

cpu_mask::cpu_mask(std::vector<unsigned> const&) {}

cpu_mask cpu_mask::of_this_thread() { return cpu_mask({}); }

bool cpu_mask::apply() const noexcept { return false; }

}  // namespace ashlar::inline v1::os
