// SPDX-License-Identifier: Apache-2.0
// The clocks of the benchmark programs: wall time, CPU time of the process, what the rest of the machine did
// meanwhile, and peak memory. Linux only. Shared by every program, so that all peers are timed alike.
#pragma once

#include <cstdio>
#include <cstring>
#include <ctime>

#include <unistd.h>

namespace bench {

inline double read_clock(clockid_t id) {
  timespec t;
  clock_gettime(id, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
inline double wall_now() { return read_clock(CLOCK_MONOTONIC); }
// User and system time of all threads of this process, exact to the scheduler's clock (not to a tick).
inline double cpu_now() { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

// The same of the calling thread only.
inline double thread_cpu_now() { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

// Seconds that all CPUs together spent in something else than idling since boot, and seconds stolen by the
// hypervisor. Counted in ticks: meaningful over tenths of a second, not below.
struct machine_time {
  double busy = 0;
  double stolen = 0;
};

inline machine_time machine_now() {
  machine_time m;
  std::FILE* f = std::fopen("/proc/stat", "r");
  if (f == nullptr) {
    return m;
  }
  unsigned long long user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
  if (std::fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system, &idle, &iowait, &irq,
                  &softirq, &steal) == 8) {
    double const tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
    m.busy = tick * static_cast<double>(user + nice + system + irq + softirq);
    m.stolen = tick * static_cast<double>(steal);
  }
  std::fclose(f);
  return m;
}

// What other processes use of the machine since this was made.
class bystanders {
 public:
  double seconds() const { return wall_now() - wall_; }
  // Cores that they used on average. Told from ticks: over less than a tenth of a second it says nothing.
  double cores() const { return (machine_now().busy - busy_ - (cpu_now() - cpu_)) / seconds(); }

 private:
  double busy_ = machine_now().busy, cpu_ = cpu_now(), wall_ = wall_now();
};

// Peak resident memory in KiB (VmHWM). getrusage would report the parent's peak if that was larger, because
// the figure survives exec.
inline long peak_memory_kib() {
  long kib = -1;
  std::FILE* f = std::fopen("/proc/self/status", "r");
  if (f == nullptr) {
    return kib;
  }
  char line[256];
  while (std::fgets(line, sizeof line, f)) {
    if (std::strncmp(line, "VmHWM:", 6) == 0) {
      std::sscanf(line + 6, "%ld", &kib);
      break;
    }
  }
  std::fclose(f);
  return kib;
}

}  // namespace bench
