// SPDX-License-Identifier: Apache-2.0
#include <ashlar/flow/work/source_burst.h>
#include <ashlar/os/tuning.h>

namespace ashlar::inline v1::flow {

bool source_burst::begin() noexcept {
  std::uint64_t const before = since_;
  bool const goes_on = burst::begin();
  std::uint64_t const took = since_ - before;
  // Several jobs are several nodes', or an unlimited one's, and nobody knows how long these take.
  bool const may_be_kept = caused_ <= 1 && took < os::tuned.ticks_of_us(os::longest_kept_burst_us);
  if (may_be_kept) way_.add(took);
  is_kept_ = may_be_kept && way_.is_second();
  caused_ = 0;
  return goes_on;
}

}  // namespace ashlar::inline v1::flow
