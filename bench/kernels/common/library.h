// SPDX-License-Identifier: Apache-2.0
// The library that a kernel is compiled against: what it is called, whether it has the classic task class, and
// how all threads up to a number (more than the machine has is allowed) are made to work on a kernel.
#pragma once

#include <string>

#if __has_include(<tbb/version.h>)
#include <tbb/version.h>
#else
#include <tbb/tbb_stddef.h>
#endif

#include "common/library_name.h"

// oneTBB removed class tbb::task and task_scheduler_init together; Ashlar and TBB 2020 have both.
#if __has_include(<tbb/task_scheduler_init.h>)
#define KERNEL_CLASSIC_TASKS 1
#include <tbb/task_scheduler_init.h>
#else
#define KERNEL_CLASSIC_TASKS 0
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#endif

namespace kernels {

inline library this_library() {
#if __has_include(<ashlar/base/config.h>)
  char const* name = "ashlar";
#elif TBB_INTERFACE_VERSION >= 12000
  char const* name = "onetbb";
#else
  char const* name = "tbb2020";
#endif
  return {name, std::to_string(TBB_VERSION_MAJOR) + "." + std::to_string(TBB_VERSION_MINOR)};
}

// Runs work() with n threads in all, the calling one included.
//
// In oneTBB the calling thread's implicit arena never has more slots than the machine has CPUs, so that more
// threads need an explicit arena; task_scheduler_init means n threads literally.
template <typename Work>
void with_threads(int n, Work const& work) {
#if KERNEL_CLASSIC_TASKS
  tbb::task_scheduler_init init(n);
  work();
#else
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(n));
  tbb::task_arena arena(n);
  arena.execute(work);
#endif
}

}  // namespace kernels
