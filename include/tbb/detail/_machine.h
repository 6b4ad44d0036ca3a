// SPDX-License-Identifier: Apache-2.0
// Processor-level helpers by oneTBB's names.
#pragma once

#include <ashlar/base/atomic.h>
#include <ashlar/base/cache_line.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <thread>
#ifndef __x86_64__
#include <cfenv>
#include <cstring>
#endif

namespace tbb {
namespace detail {
inline namespace d0 {
inline namespace ashlar_v1 {

/// Gives the processor to another thread that can run.
inline void yield() { std::this_thread::yield(); }

/// Waits for about `steps` steps of a spin loop.
inline void machine_pause(std::int32_t steps) {
  for (; steps > 0; --steps) {
    ::ashlar::cpu_pause();
  }
}

inline void atomic_fence_seq_cst() { ::ashlar::fence_seq_cst(); }

template <typename T>
constexpr std::uintptr_t number_of_bits() {
  return sizeof(T) * CHAR_BIT;
}

/// The position of the highest bit that is set; x is not 0.
inline std::uintptr_t machine_log2(std::uintptr_t x) {
  return number_of_bits<unsigned long long>() - 1 - static_cast<std::uintptr_t>(__builtin_clzll(x));
}

/// The bits of x in the opposite order.
template <typename T>
T machine_reverse_bits(T x) {
  T reversed = 0;
  for (std::uintptr_t i = 0; i < number_of_bits<T>(); ++i) {
    reversed = static_cast<T>((reversed << 1) | ((x >> i) & 1));
  }
  return reversed;
}

}  // namespace ashlar_v1
}  // namespace d0

namespace r1 {
inline namespace ashlar_v1 {
/// The distance in bytes at which two threads' data don't disturb each other.
inline std::size_t cache_line_size() { return ::ashlar::no_sharing; }
}  // namespace ashlar_v1
}  // namespace r1

namespace d1 {
inline namespace ashlar_v1 {

// The floating-point settings of a thread: rounding, denormals and exception masks, without the exception flags.
#ifdef __x86_64__
struct cpu_ctl_env {
  int mxcsr = 0;
  short x87cw = 0;

  void get_env() {
    __asm__ __volatile__("stmxcsr %0\n\tfstcw %1" : "=m"(mxcsr), "=m"(x87cw));
    mxcsr &= ~0x3f;
  }
  void set_env() const { __asm__ __volatile__("ldmxcsr %0\n\tfldcw %1" : : "m"(mxcsr), "m"(x87cw)); }
  bool operator!=(cpu_ctl_env const& other) const { return mxcsr != other.mxcsr || x87cw != other.x87cw; }
};
#else
struct cpu_ctl_env {
  std::fenv_t environment{};

  void get_env() { std::fegetenv(&environment); }
  void set_env() const { std::fesetenv(&environment); }
  bool operator!=(cpu_ctl_env const& other) const {
    return std::memcmp(&environment, &other.environment, sizeof(environment)) != 0;
  }
};
#endif

}  // namespace ashlar_v1
}  // namespace d1
}  // namespace detail
}  // namespace tbb
