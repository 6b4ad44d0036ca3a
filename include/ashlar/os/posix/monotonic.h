// SPDX-License-Identifier: Apache-2.0
// ashlar/os/monotonic.h with POSIX's clock.
#pragma once

#include <cstdint>
#include <ctime>

namespace ashlar {
inline namespace v1 {
namespace os {

inline std::uint64_t monotonic_ns() noexcept {
  ::timespec t;
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1000000000u + static_cast<std::uint64_t>(t.tv_nsec);
}

}  // namespace os
}  // namespace v1
}  // namespace ashlar
