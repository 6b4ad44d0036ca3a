// SPDX-License-Identifier: Apache-2.0
// The CPUs of a process or thread, as FreeBSD takes them.
#pragma once

#include <sys/param.h>

#include <sys/cpuset.h>

namespace ashlar {
inline namespace v1 {
namespace os {

// False if the system doesn't tell. `which`: CPU_WHICH_PID or CPU_WHICH_TID, of the caller.
inline bool read_cpu_set(cpuwhich_t which, cpuset_t& set) noexcept {
  return ::cpuset_getaffinity(CPU_LEVEL_WHICH, which, -1, sizeof set, &set) == 0;
}

}  // namespace os
}  // namespace v1
}  // namespace ashlar
