// SPDX-License-Identifier: Apache-2.0
// Where nobody can take a CPU from another thread.
#include "os/cpu_exclusion.h"

namespace ashlar::inline v1::os {

void cpu_exclusion::begin(int, unsigned, unsigned) noexcept {}

void cpu_exclusion::end() noexcept {}

}  // namespace ashlar::inline v1::os
