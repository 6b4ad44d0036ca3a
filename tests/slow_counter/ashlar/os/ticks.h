// SPDX-License-Identifier: Apache-2.0
// In place of include/ashlar/os/ticks.h: a counter of 25 MHz, as an aarch64 processor may have it.
#pragma once

#include <cstdint>
#include <ctime>

namespace ashlar {
inline namespace v1 {

inline std::uint64_t ticks() noexcept {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (static_cast<std::uint64_t>(t.tv_sec) * 1000000000u + static_cast<std::uint64_t>(t.tv_nsec)) / 40;
}

}  // namespace v1
}  // namespace ashlar
