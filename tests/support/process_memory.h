// SPDX-License-Identifier: Apache-2.0
// How much memory the process has, by the system's account. It allocates nothing itself but what fopen does.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <optional>

namespace test {

struct process_memory {
  std::size_t mapped;    // bytes of address space
  std::size_t resident;  // bytes in memory, the sanitizers' shadows included
};

// Nothing where there is no /proc.
inline std::optional<process_memory> memory_if_told() {
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return std::nullopt;
  unsigned long mapped = 0;
  unsigned long resident = 0;
  bool const told = std::fscanf(file, "%lu %lu", &mapped, &resident) == 2;
  std::fclose(file);
  if (!told) return std::nullopt;
  auto const page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return process_memory{mapped * page, resident * page};
}

// For tests that mean nothing without the answer.
inline process_memory memory_of_process() {
  auto const memory = memory_if_told();
  if (!memory) {
    std::fputs("no /proc/self/statm\n", stderr);
    std::abort();
  }
  return *memory;
}

inline std::size_t resident() { return memory_of_process().resident; }

}  // namespace test
