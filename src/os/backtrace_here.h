// SPDX-License-Identifier: Apache-2.0
// The return addresses of the calling thread's functions.
#pragma once

namespace ashlar {
inline namespace v1 {
namespace os {

// Writes at most so many, the innermost first, which lies in the function that calls this, and returns how many. The
// first call may load a library; later ones may be made in signal handlers.
int backtrace_here(void** frames, int most) noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar

#include "os/posix/backtrace_here.h"
