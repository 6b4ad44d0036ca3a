// SPDX-License-Identifier: Apache-2.0
#include "sched/market/watch_duty.h"

#include "os/membarrier.h"

#include <utility>

namespace ashlar::inline v1::sched {

bool watch_duty::watch(arena& a) noexcept {
  if (!taken()) return false;
  watched_.add(a);
  a.market_state.offers = a.offers() - 1;  // the job that is watched over counts as new
  a.watched.store(true, mo::relaxed);
  return true;
}

void watch_duty::forget(arena& a) noexcept {
  watched_.remove(a);
  a.watched.store(false, mo::relaxed);
}

std::uint32_t watch_duty::look_at_offers() noexcept {
  std::uint32_t sum = 0;
  watched_.for_each([&](arena& a) {
    std::uint32_t const now = a.offers();
    std::uint32_t const fresh = now - std::exchange(a.market_state.offers, now);
    sum += fresh;
    a.market_state.idle_offers = fresh == 0;
  });
  return sum;
}

// From now on nobody watches, and offers are told so. True if there are such arenas: the caller looks at them.
bool watch_duty::lower_guard(bool all) noexcept {
  bool any = false;
  watched_.for_each([&](arena& a) {
    if (!all && !a.market_state.idle_offers) return;
    a.watched.store(false, mo::relaxed);
    any = true;
  });
  if (any) os::heavy_fence();  // [E1]
  return any;
}

}  // namespace ashlar::inline v1::sched
