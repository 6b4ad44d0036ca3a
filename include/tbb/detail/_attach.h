// SPDX-License-Identifier: Apache-2.0
// <tbb/task_arena.h> by the name of oneTBB's inner header, which tools for writing programs insert.
#pragma once

#include <tbb/task_arena.h>

#if !ASHLAR_CLASSIC_DIALECT
namespace tbb {
namespace detail {
namespace d1 {
inline namespace ashlar_v1 {
using ::tbb::attach;
}  // namespace ashlar_v1
}  // namespace d1
}  // namespace detail
}  // namespace tbb
#endif
