// SPDX-License-Identifier: Apache-2.0
// Windows has no fork: the hooks never run.
#include "os/fork.h"

namespace ashlar::inline v1::os {

bool add_fork_hooks(fork_hooks) noexcept { return true; }

}  // namespace ashlar::inline v1::os
