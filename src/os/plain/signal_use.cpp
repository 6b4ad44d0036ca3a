// SPDX-License-Identifier: Apache-2.0
// Where the system has no signals that users send.
#include "os/signal_use.h"

namespace ashlar::inline v1::os {

bool take_signal(int, void (*)(int), bool) noexcept { return false; }

void release_signal(int) noexcept {}

}  // namespace ashlar::inline v1::os
