// SPDX-License-Identifier: Apache-2.0
#include "os/allowance.h"

#include <dirent.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

namespace ashlar::inline v1::os {

unsigned cpus_of_all_threads() noexcept {
  constexpr std::size_t sets = 8;  // 8192 CPUs
  cpu_set_t all[sets] = {};
  cpu_set_t one[sets];
  int const saved = errno;
  DIR* const threads = ::opendir("/proc/self/task");
  while (threads != nullptr) {
    dirent const* const entry = ::readdir(threads);
    if (entry == nullptr) break;
    int const id = std::atoi(entry->d_name);
    // A thread that has ended meanwhile has no mask.
    if (id > 0 && ::sched_getaffinity(id, sizeof one, one) == 0) CPU_OR_S(sizeof all, all, all, one);
  }
  if (threads != nullptr) ::closedir(threads);
  errno = saved;
  return static_cast<unsigned>(CPU_COUNT_S(sizeof all, all));
}

unsigned read_allowance(std::string const& root, cgroup::mount_test mounted) noexcept {
  unsigned const cpus = cpus_of_all_threads();
  int const saved = errno;
  unsigned allowed = cpus;
  try {
    if (cpus > 1) allowed = std::min(cpus, cgroup::cpu_limit(root, mounted).value_or(cpus));
  } catch (...) {  // without memory for the files there is no quota to know of
  }
  errno = saved;
  return allowed;
}

}  // namespace ashlar::inline v1::os
