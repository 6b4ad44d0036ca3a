// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sync/mutex.h>

#include "sync/contend.h"

#include <ashlar/os/tuning.h>

namespace ashlar::inline v1::sync {

void detail::wait_for_mutex(atomic<bool>& held, bool brief) noexcept {
  auto const taken = [&held]() noexcept { return held.load(mo::relaxed); };
  // Looks by writing: a look by reading would fetch the line a second time to take a lock that is free.
  auto const take = [&held]() noexcept { return !held.exchange(true, mo::acquire); };  // [MX2]
  std::uint64_t const first_gap = brief ? os::tuned.brief_lock_gap : 1;
  while (!contend(take, first_gap)) wait_while(&held, taken, wait_kind::armed);
}

}  // namespace ashlar::inline v1::sync
