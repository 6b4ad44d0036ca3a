// SPDX-License-Identifier: Apache-2.0
// The coarse clock of macOS and FreeBSD (os/coarse_clock.h).
#pragma once

#include <cstdint>
#include <ctime>

namespace ashlar {
inline namespace v1 {
namespace os {

inline std::uint64_t coarse_ms() noexcept {
#ifdef CLOCK_MONOTONIC_FAST
  constexpr auto clock = CLOCK_MONOTONIC_FAST;
#else
  constexpr auto clock = CLOCK_MONOTONIC_RAW_APPROX;
#endif
  timespec t;
  ::clock_gettime(clock, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1000 + static_cast<std::uint64_t>(t.tv_nsec) / 1000000;
}

}  // namespace os
}  // namespace v1
}  // namespace ashlar
