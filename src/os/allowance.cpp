// SPDX-License-Identifier: Apache-2.0
#include "os/allowance.h"

#include "os/clock.h"

#include <ashlar/base/atomic.h>

#include <cstdint>

namespace ashlar::inline v1::os {

bool recent_allowance(unsigned& allowance) noexcept {
  // 0: nobody has asked. Relaxed: whoever claims the look makes it, and nothing else depends on the word.
  static atomic<std::uint64_t> looked{0};
  auto const period = static_cast<std::uint64_t>(5e8 * ticks_per_ns());
  std::uint64_t const now = ticks();
  std::uint64_t last = looked.load(mo::relaxed);
  if (last != 0 && now - last < period) return false;
  if (!looked.compare_exchange(last, now, mo::relaxed, mo::relaxed) || last == 0) return false;
  allowance = read_allowance("");
  return allowance != 0;
}

}  // namespace ashlar::inline v1::os
