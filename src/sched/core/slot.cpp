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
  seen_word_ = wanted != nullptr ? fp_word() : no_fp_word;
}

bool slot::look_at_words() noexcept {
  fp_settings const* const expected = running_.fp != nullptr ? running_.fp : arena_fp_;
  if (expected == nullptr) return true;  // a slot without an arena
  if (os::read_fp_control() != os::fp_control{expected->mxcsr, expected->x87_control}) return false;
  seen_word_ = fp_word();
  return true;
}

void slot::take_words_of_bodies(fp_settings& before) noexcept {
  os::fp_control const words = os::read_fp_control();
  before = {words.mxcsr, words.x87};
  fp_settings const& expected = running_.fp != nullptr ? *running_.fp : *arena_fp_;
  os::write_fp_control({expected.mxcsr, expected.x87_control});
  seen_word_ = fp_word();
}

void slot::give_words_back(fp_settings const& words) noexcept {
  os::write_fp_control({words.mxcsr, words.x87_control});
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
