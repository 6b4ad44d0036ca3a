// SPDX-License-Identifier: Apache-2.0
// The calling thread's floating-point control words around a task that a call of the library runs in place: the task
// has those of bodies, and whatever it leaves behind, its caller gets its own words back.
#pragma once

#include <ashlar/sched/core/slot.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace compat12 {

class kept_fp_words {
 public:
  ASHLAR_ALWAYS_INLINE explicit kept_fp_words(sched::slot& here) noexcept {
    read(mxcsr_, x87_);
    if (ASHLAR_LIKELY(here.has_words_of_bodies(mxcsr_))) return;
    sched::fp_settings own;
    here.take_words_of_bodies(own);  // and the destructor gives all words back
  }
  ASHLAR_ALWAYS_INLINE ~kept_fp_words() {
    std::uint32_t mxcsr;
    std::uint16_t x87;
    read(mxcsr, x87);
    if (ASHLAR_UNLIKELY(((mxcsr ^ mxcsr_) & ~status) != 0 || x87 != x87_)) restore(mxcsr & status);
  }
  kept_fp_words(kept_fp_words const&) = delete;
  kept_fp_words& operator=(kept_fp_words const&) = delete;

 private:
  static constexpr std::uint32_t status = 0x3f;  // sticky exception flags, which stay as the task left them

  ASHLAR_ALWAYS_INLINE static void read(std::uint32_t& mxcsr, std::uint16_t& x87) noexcept {
    mxcsr = __builtin_ia32_stmxcsr();
    __asm__ __volatile__("fnstcw %0" : "=m"(x87));
  }
  ASHLAR_COLD void restore(std::uint32_t flags) const noexcept {
    __builtin_ia32_ldmxcsr((mxcsr_ & ~status) | flags);
    __asm__ __volatile__("fldcw %0" ::"m"(x87_));
  }

  std::uint32_t mxcsr_;
  std::uint16_t x87_;
};

}  // namespace compat12
}  // namespace v1
}  // namespace ashlar
