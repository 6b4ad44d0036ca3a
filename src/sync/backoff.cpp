// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sync/backoff.h>

#include "os/thread.h"

namespace ashlar::sync {

void yield_thread() noexcept { os::yield(); }

}  // namespace ashlar::sync
