// SPDX-License-Identifier: Apache-2.0
// Where the system does not say when a thread was started.
#include "os/thread_start.h"

#include "os/clock.h"

namespace ashlar::inline v1::os {

std::uint64_t ns_since_boot() noexcept { return now_ns(); }

std::uint64_t thread_start() noexcept { return 0; }

}  // namespace ashlar::inline v1::os
