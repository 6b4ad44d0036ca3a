// SPDX-License-Identifier: Apache-2.0
// <tbb/task_group.h> by the name of oneTBB's inner header, which tools for writing programs insert.
#pragma once

#include <tbb/task_group.h>

#if !ASHLAR_CLASSIC_DIALECT
namespace tbb {
namespace detail {
namespace d2 {
inline namespace ashlar_v1 {
using ::tbb::task_group_status;
}  // namespace ashlar_v1
}  // namespace d2
}  // namespace detail
}  // namespace tbb
#endif
