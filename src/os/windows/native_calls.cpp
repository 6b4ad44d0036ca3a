// SPDX-License-Identifier: Apache-2.0
// Locks and conditions of Windows, and threads of winpthreads.
#include "os/native_calls.h"

#include "os/clock.h"
#include "os/windows/system.h"

#include <pthread.h>

#include <algorithm>
#include <cerrno>

namespace ashlar::inline v1::os {

namespace {

SRWLOCK* lock_of(native_mutex& m) noexcept { return reinterpret_cast<SRWLOCK*>(&m.lock); }
CONDITION_VARIABLE* condition_of(native_condition& c) noexcept {
  return reinterpret_cast<CONDITION_VARIABLE*>(&c.waiters);
}

// Only the holder finds itself there.
bool is_own(native_mutex const& m) noexcept {
  return m.recursive && __atomic_load_n(&m.holder, __ATOMIC_RELAXED) == ::GetCurrentThreadId();
}
void taken(native_mutex& m) noexcept {
  if (m.recursive) __atomic_store_n(&m.holder, ::GetCurrentThreadId(), __ATOMIC_RELAXED);
}
void left(native_mutex& m) noexcept {
  if (m.recursive) __atomic_store_n(&m.holder, 0, __ATOMIC_RELAXED);
}

}  // namespace

int make_recursive(native_mutex& m) noexcept {
  m = {};
  m.recursive = true;
  return 0;
}
int destroy(native_mutex& m) noexcept {
  if (::TryAcquireSRWLockExclusive(lock_of(m)) == 0) return EBUSY;
  ::ReleaseSRWLockExclusive(lock_of(m));
  return 0;
}
int lock(native_mutex& m) noexcept {
  if (is_own(m)) {
    ++m.depth;
    return 0;
  }
  ::AcquireSRWLockExclusive(lock_of(m));
  taken(m);
  return 0;
}
bool try_lock(native_mutex& m) noexcept {
  if (is_own(m)) {
    ++m.depth;
    return true;
  }
  if (::TryAcquireSRWLockExclusive(lock_of(m)) == 0) return false;
  taken(m);
  return true;
}
void unlock(native_mutex& m) noexcept {
  if (m.depth != 0) {
    --m.depth;
    return;
  }
  left(m);
  ::ReleaseSRWLockExclusive(lock_of(m));
}

int make_condition(native_condition& c) noexcept {
  c = {};
  return 0;
}
int wait_for(native_condition& c, native_mutex& m, std::uint64_t deadline, bool& over) noexcept {
  over = false;
  std::uint64_t const now = deadline != 0 ? now_ns() : 0;
  std::uint64_t const ns = deadline > now ? deadline - now : 0;
  constexpr std::uint64_t longest = INFINITE - 1;
  DWORD const milliseconds =
      deadline == 0 ? INFINITE : static_cast<DWORD>(std::min((ns + 999'999) / 1'000'000, longest));
  left(m);
  bool const woken = ::SleepConditionVariableSRW(condition_of(c), lock_of(m), milliseconds, 0) != 0;
  taken(m);
  over = !woken && now_ns() >= deadline;
  return 0;
}
void notify_one(native_condition& c) noexcept { ::WakeConditionVariable(condition_of(c)); }
void notify_all(native_condition& c) noexcept { ::WakeAllConditionVariable(condition_of(c)); }

native_thread own_native_thread() noexcept { return ::pthread_self(); }
int start_native(native_thread& thread, void* (*routine)(void*), void* argument) noexcept {
  return ::pthread_create(&thread, nullptr, routine, argument);
}
bool is_own(native_thread thread) noexcept { return ::pthread_equal(thread, ::pthread_self()) != 0; }
int join_native(native_thread thread) noexcept { return ::pthread_join(thread, nullptr); }
void detach_native(native_thread thread) noexcept { ::pthread_detach(thread); }

}  // namespace ashlar::inline v1::os
