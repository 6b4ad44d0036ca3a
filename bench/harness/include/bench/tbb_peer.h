// SPDX-License-Identifier: Apache-2.0
// The little that differs between classic TBB 2020, oneTBB and Ashlar for a program that uses only what all
// of them have: how a thread count is set.
#pragma once

#include <cstddef>

#if __has_include(<tbb/version.h>)
#include <tbb/version.h>
#else
#include <tbb/tbb_stddef.h>
#endif

#if TBB_INTERFACE_VERSION < 12000
#include <tbb/task_scheduler_init.h>
#else
#include <tbb/global_control.h>
#if __has_include(<tbb/task_arena.h>)
#include <tbb/task_arena.h>
#define BENCH_HAS_ARENA 1
#endif
#endif

namespace bench {

// Calls f with n threads that may execute tasks, the calling one included; more than the machine has is
// allowed. oneTBB needs both forms: global_control alone lets a loop still be cut for all CPUs (1000 empty
// iterations then cost 1.6 us instead of 1.0 us with one thread), an arena alone never exceeds the CPUs.
template <typename F>
int with_threads(int n, F f) {
#if TBB_INTERFACE_VERSION < 12000
  tbb::task_scheduler_init limit(n);
  return f();
#else
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(n));
#ifdef BENCH_HAS_ARENA
  tbb::task_arena arena(n);
  int result = 0;
  arena.execute([&] { result = f(); });
  return result;
#else
  return f();
#endif
#endif
}

}  // namespace bench
