// SPDX-License-Identifier: Apache-2.0
// Preloaded: threads are delayed at random before and after each call by which the scheduler locks, sleeps, wakes,
// fences or yields, so that windows of nanoseconds between two steps of a protocol stay open for up to milliseconds.
//
// ASHLAR_DELAYS_SEED: another order of delays (default 1).
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>

namespace {

template <typename Function>
Function next(char const* name, std::atomic<Function>& known) {
  Function found = known.load(std::memory_order_relaxed);
  if (found == nullptr) {
    found = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
    if (found == nullptr) std::abort();
    known.store(found, std::memory_order_relaxed);
  }
  return found;
}

std::atomic<int (*)(pthread_mutex_t*)> real_lock{nullptr};
std::atomic<int (*)(pthread_mutex_t*)> real_unlock{nullptr};
std::atomic<int (*)()> real_yield{nullptr};
std::atomic<long (*)(long, ...)> real_syscall{nullptr};

std::uint64_t first_seed() {
  char const* const asked = std::getenv("ASHLAR_DELAYS_SEED");
  return asked != nullptr ? std::strtoull(asked, nullptr, 10) : 1;
}

std::uint32_t draw() {
  static std::atomic<std::uint64_t> threads{0};
  thread_local std::uint64_t state = 0;
  if (state == 0) state = (first_seed() + threads.fetch_add(1) + 1) * 0x9E3779B97F4A7C15u;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return static_cast<std::uint32_t>(state >> 32);
}

void delay() {
  std::uint32_t const chance = draw();
  if (chance % 8 != 0) return;
  int const error = errno;
  if (chance % 16 == 0) {
    next("sched_yield", real_yield)();
  } else {
    long const longest = chance % 512 == 8 ? 2'000'000 : 100'000;  // nanoseconds
    timespec const time{0, static_cast<long>(draw()) % longest};
    nanosleep(&time, nullptr);
  }
  errno = error;
}

}  // namespace

extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  delay();
  int const result = next("pthread_mutex_lock", real_lock)(mutex);
  delay();
  return result;
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  int const result = next("pthread_mutex_unlock", real_unlock)(mutex);
  delay();
  return result;
}

int sched_yield() noexcept {
  delay();
  return next("sched_yield", real_yield)();
}

// Futexes and membarrier; others pass without a delay.
long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  long arguments[6];
  for (long& argument : arguments) argument = va_arg(list, long);
  va_end(list);
  bool const protocol = number == SYS_futex || number == SYS_membarrier;
  if (protocol) delay();
  long const result = next("syscall", real_syscall)(number, arguments[0], arguments[1], arguments[2], arguments[3],
                                                    arguments[4], arguments[5]);
  if (protocol) delay();
  return result;
}

}  // extern "C"
