// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>

namespace ashlar {
inline namespace v1 {
namespace os {

inline std::uint64_t coarse_ms() noexcept {
  timespec t;
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1000 + static_cast<std::uint64_t>(t.tv_nsec) / 1000000;
}

}  // namespace os
}  // namespace v1
}  // namespace ashlar
