// SPDX-License-Identifier: Apache-2.0
// The clock of Windows' timer ticks (os/coarse_clock.h).
#pragma once

#include "os/windows/system.h"

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace os {

inline std::uint64_t coarse_ms() noexcept { return ::GetTickCount64(); }

}  // namespace os
}  // namespace v1
}  // namespace ashlar
