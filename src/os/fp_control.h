// SPDX-License-Identifier: Apache-2.0
// The floating-point control words: rounding, exception masks, flush-to-zero. Status flags are not part of them. On
// 64-bit Arm, FPCR is kept where x86 has MXCSR; all of its bits that are defined lie in the lower half.
#pragma once

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace os {

struct fp_control {
  std::uint32_t mxcsr = 0;
  std::uint16_t x87 = 0;

  friend bool operator==(fp_control const& a, fp_control const& b) noexcept {
    return a.mxcsr == b.mxcsr && a.x87 == b.x87;
  }
  friend bool operator!=(fp_control const& a, fp_control const& b) noexcept { return !(a == b); }
};

#if defined(__x86_64__) || defined(__i386__)
inline constexpr std::uint32_t mxcsr_status = 0x3f;  // sticky exception flags

inline fp_control read_fp_control() noexcept {
  fp_control c;
  c.mxcsr = __builtin_ia32_stmxcsr() & ~mxcsr_status;
  __asm__ __volatile__("fnstcw %0" : "=m"(c.x87));
  return c;
}
inline void write_fp_control(fp_control const& c) noexcept {
  __builtin_ia32_ldmxcsr(c.mxcsr | (__builtin_ia32_stmxcsr() & mxcsr_status));
  __asm__ __volatile__("fldcw %0" ::"m"(c.x87));
}
#elif defined(__aarch64__)
inline fp_control read_fp_control() noexcept {
  std::uint64_t word;
  __asm__ __volatile__("mrs %0, fpcr" : "=r"(word));
  fp_control c;
  c.mxcsr = static_cast<std::uint32_t>(word);
  return c;
}
inline void write_fp_control(fp_control const& c) noexcept {
  __asm__ __volatile__("msr fpcr, %0" ::"r"(std::uint64_t{c.mxcsr}));
}
#else
inline fp_control read_fp_control() noexcept { return {}; }
inline void write_fp_control(fp_control const&) noexcept {}
#endif

}  // namespace os
}  // namespace v1
}  // namespace ashlar
