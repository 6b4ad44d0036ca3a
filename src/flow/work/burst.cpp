// SPDX-License-Identifier: Apache-2.0
#include <ashlar/flow/work/burst.h>
#include <ashlar/os/ticks.h>
#include <ashlar/os/tuning.h>

namespace ashlar::inline v1::flow {

bool burst::begin() noexcept {
  std::uint64_t const now = ticks();
  are_short_ = now - since_ < 4 * os::tuned.small_loop;
  since_ = now;
  left_ = messages - 1;
  return false;
}

}  // namespace ashlar::inline v1::flow
