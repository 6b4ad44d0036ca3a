// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sched/park/wait_target.h>

#include "sched/park/parking.h"

namespace ashlar::inline v1::sched {

void wake_waiters(void const* address) noexcept {
  parking_lot::get().wake_address(address);
  if (auto* const notify = parking_lot::other_waiters.load(mo::relaxed)) notify(address);
}

}  // namespace ashlar::inline v1::sched
