// SPDX-License-Identifier: Apache-2.0
// A clock that costs as little as the system can make it. Inline, so that the allocator, which links nothing of this
// layer, has it.
#pragma once

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace os {

// Milliseconds of a monotonic clock, with the precision of a timer tick. Any thread may call.
std::uint64_t coarse_ms() noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar

#if defined(__linux__)
#include "os/linux/coarse_clock.h"
#elif defined(_WIN32)
#include "os/windows/coarse_clock.h"
#else
#include "os/bsd/coarse_clock.h"
#endif
