// SPDX-License-Identifier: Apache-2.0
// Preloaded: the time of day jumps by up to a day in both directions, at every reading.
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <ctime>

namespace {

std::int64_t jump() {
  static std::atomic<std::uint64_t> state{88172645463325252u};
  std::uint64_t x = state.load(std::memory_order_relaxed);
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  state.store(x, std::memory_order_relaxed);
  return static_cast<std::int64_t>(x % 172'800) - 86'400;
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* t) noexcept {
  int const result = static_cast<int>(::syscall(SYS_clock_gettime, clock, t));
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) t->tv_sec += jump();
  return result;
}

extern "C" int gettimeofday(timeval* t, void*) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  *t = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

extern "C" time_t time(time_t* t) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (t != nullptr) *t = now.tv_sec;
  return now.tv_sec;
}
