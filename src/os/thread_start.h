// SPDX-License-Identifier: Apache-2.0
// Which of two threads was first: when the calling one was started, and what the same clock says now. Any thread may
// call anything here.
#pragma once

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace os {

// Nanoseconds since the system was started, whether it slept or not.
std::uint64_t ns_since_boot() noexcept;

// When the calling thread was started, on that clock, or up to a hundredth of a second earlier; 0 if the system does
// not say. Reads a file below /proc: about 10 us.
std::uint64_t thread_start() noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar
