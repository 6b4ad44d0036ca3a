// SPDX-License-Identifier: Apache-2.0
// global_control: limits on threads, stack size and the treatment of exceptions, for the whole process.
#pragma once

#include <ashlar/base/interface.h>
#include <ashlar/sched/api/global_control.h>

// The names below the public surface that programs have used.
namespace tbb {
namespace detail {
namespace d1 {
inline namespace ashlar_v1 {
using ::tbb::global_control;
}  // namespace ashlar_v1
}  // namespace d1
}  // namespace detail
}  // namespace tbb

#include <tbb/detail/closure/base.h>
#if !ASHLAR_LEAN_HEADERS
#if !ASHLAR_CLASSIC_DIALECT
#include <iterator>
#endif
#endif
