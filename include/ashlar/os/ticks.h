// SPDX-License-Identifier: Apache-2.0
// The processor's time counter: monotonic per process on the supported machines, a few nanoseconds to read, in units
// of its own (os/clock.h converts them).
#pragma once

#include <ashlar/base/config.h>

#include <cstdint>
#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ashlar/os/monotonic.h>
#endif

namespace ashlar {
inline namespace v1 {

ASHLAR_ALWAYS_INLINE std::uint64_t ticks() noexcept {
#if defined(ASHLAR_MODEL)
  return 0;  // a model has no time
#elif defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t value;
  __asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  return os::monotonic_ns();
#endif
}

}  // namespace v1
}  // namespace ashlar
