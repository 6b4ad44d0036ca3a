// SPDX-License-Identifier: Apache-2.0
#include "os/allowance.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

namespace ashlar::inline v1::os {
namespace {

static_assert(sizeof(ino_t) == 8 && sizeof(off_t) == 8, "dirent is not what getdents64 gives");

// Calls visit(id) with each thread of this process. opendir would allocate, twice a second.
template <typename Visit>
void for_each_thread(Visit const& visit) noexcept {
  int const threads = ::open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (threads < 0) return;
  alignas(dirent) char entries[4096];
  for (;;) {
    long const size = ::syscall(SYS_getdents64, threads, entries, sizeof entries);
    if (size <= 0) break;
    for (long at = 0; at < size;) {
      auto const* const entry = reinterpret_cast<dirent const*>(entries + at);  // the kernel's, with 64-bit numbers
      at += entry->d_reclen;
      if (int const id = std::atoi(entry->d_name); id > 0) visit(id);
    }
  }
  ::close(threads);
}

}  // namespace

unsigned cpus_of_all_threads() noexcept {
  constexpr std::size_t sets = 8;  // 8192 CPUs
  cpu_set_t all[sets] = {};
  cpu_set_t one[sets];
  int const saved = errno;
  for_each_thread([&](int id) {
    // A thread that has ended meanwhile has no mask.
    if (::sched_getaffinity(id, sizeof one, one) == 0) CPU_OR_S(sizeof all, all, all, one);
  });
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
