// SPDX-License-Identifier: Apache-2.0
// <tbb/blocked_range.h> by the name of oneTBB's inner header, which tools for writing programs insert.
#pragma once

#include <tbb/blocked_range.h>

#if !ASHLAR_CLASSIC_DIALECT
namespace tbb {
namespace detail {
inline namespace d0 {
inline namespace ashlar_v1 {
using ::tbb::proportional_split;
using ::tbb::split;
}  // namespace ashlar_v1
}  // namespace d0
}  // namespace detail
}  // namespace tbb
#endif
