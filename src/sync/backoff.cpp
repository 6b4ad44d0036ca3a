// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sync/backoff.h>

#include "os/thread.h"

namespace ashlar {
inline namespace v1 {
namespace sync {

void yield_thread() noexcept { os::yield(); }

}  // namespace sync
}  // namespace v1
}  // namespace ashlar
