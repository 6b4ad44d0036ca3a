// SPDX-License-Identifier: Apache-2.0
// The time since some moment, that nobody sets back.
#pragma once

#include <ashlar/os/posix/monotonic.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace os {

/// Nanoseconds; some 20 ns a call. Any thread may call.
std::uint64_t monotonic_ns() noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar
