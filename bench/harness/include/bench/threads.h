// SPDX-License-Identifier: Apache-2.0
// Where the threads of a benchmark run. Works on any library's threads, because Linux lets a process place all
// of its own threads by their ids.
#pragma once

#include <cstdlib>
#include <vector>

#include <dirent.h>
#include <sched.h>
#include <unistd.h>

namespace bench {

// CPUs that the process may use, ascending: what the first caller may use, before anything pins it.
inline std::vector<int> const& allowed_cpus() {
  static std::vector<int> const cpus = [] {
    std::vector<int> found;
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
      for (int c = 0; c < CPU_SETSIZE; ++c) {
        if (CPU_ISSET(c, &set)) {
          found.push_back(c);
        }
      }
    }
    return found;
  }();
  return cpus;
}

// Thread id 0 is the calling thread. Returns false if the kernel refused.
inline bool pin_thread(int tid, int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  return sched_setaffinity(tid, sizeof set, &set) == 0;
}

// Where thread k belongs, round robin.
inline int cpu_of(int k) {
  std::vector<int> const& cpus = allowed_cpus();
  return cpus[static_cast<std::size_t>(k) % cpus.size()];
}

// Pins the main thread to the first allowed CPU and the k-th other thread to the k-th next one, round robin.
inline void pin_all_threads() {
  std::vector<int> const cpus = allowed_cpus();
  DIR* tasks = opendir("/proc/self/task");
  if (tasks == nullptr || cpus.empty()) {
    return;
  }
  int const self = getpid();
  std::size_t next = 1;
  while (dirent const* e = readdir(tasks)) {
    int const tid = std::atoi(e->d_name);
    if (tid > 0) {
      pin_thread(tid, cpus[tid == self ? 0 : next++ % cpus.size()]);
    }
  }
  closedir(tasks);
}

}  // namespace bench
