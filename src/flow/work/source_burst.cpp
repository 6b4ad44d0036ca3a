// SPDX-License-Identifier: Apache-2.0
#include <ashlar/flow/work/source_burst.h>
#include <ashlar/os/tuning.h>

#include <utility>

namespace ashlar::inline v1::flow {

static constexpr unsigned in_period = 16;

bool source_burst::begin() noexcept {
  std::uint64_t const before = since_;
  bool const goes_on = burst::begin();
  std::uint64_t const took = since_ - before;
  // Several jobs are several nodes', or an unlimited one's, and nobody knows how long these take.
  bool const may_be_kept = caused_ <= 1 && took < 2 * os::tuned.small_loop;
  if (may_be_kept) {
    took_ += took;
    if (++bursts_ == in_period) way_.end_period(std::exchange(bursts_, std::uint8_t{0}), std::exchange(took_, 0U));
  }
  is_kept_ = may_be_kept && way_.is_second();
  caused_ = 0;
  return goes_on;
}

}  // namespace ashlar::inline v1::flow
