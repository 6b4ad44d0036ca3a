// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sched/slot.h>

#include "os/fp_control.h"

namespace ashlar::sched {

void slot::switch_fp(fp_settings const* wanted) noexcept {
  if (fp_ == nullptr) {
    os::fp_control const own = os::read_fp_control();
    own_fp_ = {own.mxcsr, own.x87};
  }
  fp_settings const& words = wanted != nullptr ? *wanted : own_fp_;
  os::write_fp_control({words.mxcsr, words.x87_control});
  fp_ = wanted;
}

bool slot::check_cancelled(context& c) const noexcept {
  if (context::any_cancelled()) return c.is_cancelled();
  // Nothing is cancelled any more: go back to the fast path. A cancel that comes meanwhile raises the bit after it
  // has counted itself, so one of the two sees the other.
  attention_.fetch_and(~static_cast<std::uint32_t>(attention_cancel), mo::seq_cst);  // [C7]
  if (!context::any_cancelled()) return false;
  attention_.fetch_or(attention_cancel, mo::relaxed);
  return c.is_cancelled();
}

}  // namespace ashlar::sched
