// SPDX-License-Identifier: Apache-2.0
// The calling thread's setting that denormal results become zero: a bit of the floating-point control word that the
// standard library has no function for.
#pragma once

#include <cstdint>

namespace test {

#if defined(__aarch64__)
inline std::uint64_t fp_control_word() {
  std::uint64_t word;
  __asm__ __volatile__("mrs %0, fpcr" : "=r"(word));
  return word;
}
inline void set_fp_control_word(std::uint64_t word) { __asm__ __volatile__("msr fpcr, %0" ::"r"(word)); }
inline constexpr std::uint64_t flush_bit = 1u << 24;
#else
inline unsigned fp_control_word() { return __builtin_ia32_stmxcsr(); }
inline void set_fp_control_word(unsigned word) { __builtin_ia32_ldmxcsr(word); }
inline constexpr unsigned flush_bit = 1u << 15;
#endif

inline bool flushes_to_zero() { return (fp_control_word() & flush_bit) != 0; }
inline void flush_to_zero(bool on) {
  set_fp_control_word(on ? fp_control_word() | flush_bit : fp_control_word() & ~flush_bit);
}

}  // namespace test
