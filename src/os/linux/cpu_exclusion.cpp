// SPDX-License-Identifier: Apache-2.0
#include "os/cpu_exclusion.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace ashlar::inline v1::os {

namespace {

// Linux's mask of so many bytes.
cpu_set_t* set_of(unsigned long* bits) noexcept { return reinterpret_cast<cpu_set_t*>(bits); }

// A thread whose last CPU is excluded is put on the first one that is left, whoever runs there. The next CPU after this
// one spreads the threads, where otherwise all would meet on the first.
template <typename Mask>
void prefer_beyond(Mask& cpus, std::size_t size, unsigned cpu) noexcept {
  Mask beyond;
  std::memcpy(&beyond, &cpus, size);
  for (unsigned i = 0; i < cpu; ++i) CPU_CLR_S(i, size, set_of(beyond.bits));
  if (CPU_COUNT_S(size, set_of(beyond.bits)) != 0) std::memcpy(&cpus, &beyond, size);
}

}  // namespace

void cpu_exclusion::begin(int thread, unsigned cpu, unsigned last) noexcept {
  int const saved = errno;
  // The library's function would fill the rest of the mask with zeros.
  long const bytes = ::syscall(SYS_sched_getaffinity, thread, sizeof before_, &before_);
  auto const size = static_cast<std::size_t>(bytes);
  if (bytes > 0 && cpu < 8 * size && CPU_ISSET_S(cpu, size, set_of(before_.bits))) {
    mask without;
    std::memcpy(&without, &before_, size);
    CPU_CLR_S(cpu, size, set_of(without.bits));
    if (last == cpu) prefer_beyond(without, size, cpu);
    // The system refuses an empty mask.
    if (::sched_setaffinity(thread, size, set_of(without.bits)) == 0) bytes_ = size;
  }
  errno = saved;
}

void cpu_exclusion::end() noexcept {
  if (bytes_ == 0) return;
  int const saved = errno;
  ::sched_setaffinity(0, bytes_, set_of(before_.bits));
  errno = saved;
  bytes_ = 0;
}

}  // namespace ashlar::inline v1::os
