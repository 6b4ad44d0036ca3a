// SPDX-License-Identifier: Apache-2.0
// task_arena, and the namespace this_task_arena.
#pragma once

#include <ashlar/base/interface.h>
#include <ashlar/sched/api/task_arena.h>
#if !ASHLAR_CLASSIC_DIALECT
#include <ashlar/sched/api/numa_arenas.h>

#include <cstdint>

// The names below the public surface that programs have used.
namespace tbb {
namespace detail {
namespace d1 {
inline namespace ashlar_v1 {
using ::ashlar::sched::constraints;
using ::tbb::task_arena;
}  // namespace ashlar_v1
}  // namespace d1
namespace r1 {
inline namespace ashlar_v1 {
inline int constraints_default_concurrency(d1::constraints const& c, std::intptr_t = 0) {
  return ::tbb::info::default_concurrency(c);
}
/// -1 (automatic) where the constraints say nothing.
inline int constraints_threads_per_core(d1::constraints const& c, std::intptr_t = 0) { return c.max_threads_per_core; }
}  // namespace ashlar_v1
}  // namespace r1
}  // namespace detail
}  // namespace tbb
#endif

#include <tbb/detail/closure/groups.h>
#if !ASHLAR_LEAN_HEADERS
#if !ASHLAR_CLASSIC_DIALECT
#include <tbb/info.h>
#include <chrono>
#endif
#endif
