// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sync/backoff.h>

#include "os/thread.h"

namespace ashlar::inline v1::sync {

void yield_thread() noexcept { os::yield(); }

}  // namespace ashlar::inline v1::sync
