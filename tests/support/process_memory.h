// SPDX-License-Identifier: Apache-2.0
// How much memory the process has, by the system's account. It allocates nothing itself but what fopen does.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace test {

struct process_memory {
  std::size_t mapped;    // bytes of address space
  std::size_t resident;  // bytes in memory, the sanitizers' shadows included
};

inline process_memory memory_of_process() {
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  unsigned long mapped = 0;
  unsigned long resident = 0;
  if (file == nullptr || std::fscanf(file, "%lu %lu", &mapped, &resident) != 2) {
    std::fputs("no /proc/self/statm\n", stderr);
    std::abort();
  }
  std::fclose(file);
  auto const page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return {mapped * page, resident * page};
}

inline std::size_t resident() { return memory_of_process().resident; }

}  // namespace test
