// SPDX-License-Identifier: Apache-2.0
// How a tbb::runtime_loader ends the program: in the library, so that its header needs no <cstdio>.
#pragma once

#include <ashlar/base/config.h>

namespace ashlar {
inline namespace v1 {

// Prints one line that says why a runtime_loader fails, and aborts.
[[noreturn]] ASHLAR_EXPORT void loader_failure(char const* why) noexcept;

}  // namespace v1
}  // namespace ashlar
