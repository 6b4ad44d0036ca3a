// SPDX-License-Identifier: Apache-2.0
// os/backtrace_here.h with the C library's function, which is not in between because this is always inline.
#pragma once

#include <ashlar/base/config.h>

#include <execinfo.h>

namespace ashlar {
inline namespace v1 {
namespace os {

ASHLAR_ALWAYS_INLINE int backtrace_here(void** frames, int most) noexcept { return ::backtrace(frames, most); }

}  // namespace os
}  // namespace v1
}  // namespace ashlar
