// SPDX-License-Identifier: Apache-2.0
// Counts a process's calls of membarrier, futex and sched_yield and its acquisitions of pthread mutexes (a std::mutex
// is one): the program's own functions stand before the C library's, so that a call costs next to nothing more and
// everything happens when it happens otherwise. What the C library calls by itself is not seen, and neither is a
// library that makes system calls by its own instructions; none of the peers does. Included by exactly one source file
// of a program.
#pragma once

#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>

#include <atomic>
#include <cstdarg>

namespace threads {

struct call_counts {
  std::atomic<long> membarriers{0};
  std::atomic<long> futex_sleeps{0};  // futex calls that wait
  std::atomic<long> futex_wakes{0};   // futex calls of any other kind
  std::atomic<long> yields{0};
  std::atomic<long> mutex_locks{0};
  std::atomic<long> mutex_waits{0};  // of them those that another thread held up
};
inline call_counts& counted() {
  static call_counts all;
  return all;
}

namespace detail {

inline void count(std::atomic<long>& counter) { counter.fetch_add(1, std::memory_order_relaxed); }

inline void count_call(long number, long second) {
  if (number == SYS_membarrier) count(counted().membarriers);
  if (number != SYS_futex) return;
  long const kind = second & FUTEX_CMD_MASK;
  bool const waits = kind == FUTEX_WAIT || kind == FUTEX_WAIT_BITSET || kind == FUTEX_LOCK_PI;
  count(waits ? counted().futex_sleeps : counted().futex_wakes);
}

// The function that the program's own one stands before.
template <typename Function>
Function* behind(char const* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace detail
}  // namespace threads

extern "C" {

// Callers pass as many arguments as the call has; reading more than that gives values that nobody looks at.
__attribute__((visibility("default"))) long syscall(long number, ...) noexcept {
  static auto* const real = threads::detail::behind<long(long, ...)>("syscall");
  va_list list;
  va_start(list, number);
  long argument[6];
  for (long& a : argument) a = va_arg(list, long);
  va_end(list);
  threads::detail::count_call(number, argument[1]);
  return real(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}

__attribute__((visibility("default"))) int sched_yield() noexcept {
  static auto* const real = threads::detail::behind<int()>("sched_yield");
  threads::detail::count(threads::counted().yields);
  return real();
}

__attribute__((visibility("default"))) int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static std::atomic<int (*)(pthread_mutex_t*)> real{nullptr};  // a static's own guard may use a mutex
  auto* call = real.load(std::memory_order_relaxed);
  if (call == nullptr) {
    call = threads::detail::behind<int(pthread_mutex_t*)>("pthread_mutex_lock");
    real.store(call, std::memory_order_relaxed);
  }
  threads::detail::count(threads::counted().mutex_locks);
  if (pthread_mutex_trylock(mutex) == 0) return 0;
  threads::detail::count(threads::counted().mutex_waits);
  return call(mutex);
}

}  // extern "C"
