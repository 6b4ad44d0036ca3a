// SPDX-License-Identifier: Apache-2.0
// Environment variables whose names are nearly those of ours: a setting that has no effect, which nobody would notice.
#pragma once

#include <ashlar/base/config.h>

namespace ashlar {
inline namespace v1 {
namespace os {

// Prints a line to stderr for each variable that begins with ASHLAR_, is none of ours, and differs from one of them by
// one or two letters, or is part of one (ASHLAR_THREADS), or has one as its part (ASHLAR_TRACE_FILE). Names that are
// further from all of ours are somebody else's. Allocates nothing.
void tell_misspelt_variables() noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar
