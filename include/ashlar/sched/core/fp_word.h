// SPDX-License-Identifier: Apache-2.0
// The calling thread's floating-point control word, as far as a look at it is cheap.
#pragma once

#include <ashlar/base/config.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

constexpr std::uint32_t no_fp_word = ~std::uint32_t{0};  // the word of no thread

// The part of the floating-point control words that bodies differ by, and the sticky flags beside it: one instruction.
ASHLAR_ALWAYS_INLINE std::uint32_t fp_word() noexcept {
#if defined(__SSE__)
  return __builtin_ia32_stmxcsr();
#elif defined(__aarch64__)
  std::uint64_t word;
  __asm__ __volatile__("mrs %0, fpcr" : "=r"(word));
  return static_cast<std::uint32_t>(word);
#else
  return 0;
#endif
}

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
