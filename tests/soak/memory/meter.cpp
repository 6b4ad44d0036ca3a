// SPDX-License-Identifier: Apache-2.0
#include "meter.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace growth {

namespace {

constexpr int marks = 50;

}  // namespace

long resident_kib() {
  char text[128] = {};
  int const file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0 || read(file, text, sizeof text - 1) <= 0) {
    std::perror("soak_memory: /proc/self/statm");
    std::exit(1);
  }
  close(file);
  long whole = 0;
  long resident = 0;
  if (std::sscanf(text, "%ld %ld", &whole, &resident) != 2) std::exit(1);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

meter::meter(long operations, double seconds)
    : operations_(operations),
      seconds_(seconds),
      grain_(std::clamp(operations / (20 * marks), 1L, 64L)),
      began_(std::chrono::steady_clock::now()) {
  samples_.reserve(marks + 1);
}

void meter::look(long done) {
  // Who comes while another looks has nothing to add.
  std::unique_lock const guard(lock_, std::try_to_lock);
  if (!guard.owns_lock() || over()) return;
  double const elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  double const part =
      seconds_ > 0 ? elapsed / seconds_ : static_cast<double>(done) / static_cast<double>(std::max(1L, operations_));
  if (part < static_cast<double>(samples_.size() + 1) / marks && part < 1) return;
  samples_.push_back({std::min(part, 1.0), done, elapsed, resident_kib()});
  if (samples_.size() >= marks || part >= 1) {
    samples_.back().part = 1;
    over_.store(true, std::memory_order_relaxed);
  }
}

}  // namespace growth
