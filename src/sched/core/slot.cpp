// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sched/core/slot.h>

#include "os/fp_control.h"

#include <ashlar/sched/core/running_above.h>

namespace ashlar::inline v1::sched {

__thread slot* current_slot = nullptr;
__thread void* running_above = nullptr;
__thread void* awaited_above = nullptr;

void slot::switch_fp(fp_settings const* wanted) noexcept {
  if (running_.fp == nullptr) {
    os::fp_control const own = os::read_fp_control();
    running_.own_fp = {own.mxcsr, own.x87};
  }
  fp_settings const& words = wanted != nullptr ? *wanted : running_.own_fp;
  os::write_fp_control({words.mxcsr, words.x87_control});
  running_.fp = wanted;
}

bool slot::check_cancelled(context& c) noexcept {
  if (context::any_cancelled()) return c.is_cancelled();
  // Nothing is cancelled any more: go back to the fast path. A cancel that comes meanwhile raises the bit after it
  // has counted itself, so one of the two sees the other.
  drop(attention_cancel);  // [C7]
  if (!context::any_cancelled()) return false;
  hint(attention_cancel);
  return c.is_cancelled();
}

}  // namespace ashlar::inline v1::sched
