// SPDX-License-Identifier: Apache-2.0
// What classic TBB offered below tbb::atomic, by the names that programs have used: pauses, fences, and operations on
// plain words. New code uses std::atomic.
//
// N is 1, 2, 4 or 8 bytes, W a pointer's size. Read-modify-write operations are full fences and return the old value,
// unless the name says otherwise; the new value comes before the comparand. The word must be aligned to its size.
// Nothing here throws; all may be called from any thread.
#pragma once

#include <ashlar/base/atomic.h>
#include <ashlar/sync/backoff.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

// ---- pauses and fences
inline void __TBB_Pause(std::int32_t pauses) noexcept {
  for (; pauses > 0; --pauses) ::ashlar::cpu_pause();
}
inline void __TBB_Yield() noexcept { ::ashlar::sync::yield_thread(); }
inline void __TBB_compiler_fence() noexcept { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
inline void __TBB_full_memory_fence() noexcept { ::ashlar::fence_seq_cst(); }
inline void __TBB_control_consistency_helper() noexcept { __atomic_thread_fence(__ATOMIC_ACQUIRE); }
inline void __TBB_acquire_consistency_helper() noexcept { __atomic_thread_fence(__ATOMIC_ACQUIRE); }
inline void __TBB_release_consistency_helper() noexcept { __atomic_thread_fence(__ATOMIC_RELEASE); }

namespace tbb {
namespace internal {

/// How the operations on untyped places see a word: it may be an object of any type of that size.
template <typename Word>
struct machine_word {
  using raw [[gnu::may_alias]] = Word;

  static raw volatile* at(void volatile* place) noexcept { return static_cast<raw volatile*>(place); }
  static Word cmpswp(void volatile* place, Word value, Word comparand) noexcept {
    __atomic_compare_exchange_n(at(place), &comparand, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return comparand;
  }
  static Word fetchadd(void volatile* place, Word addend) noexcept {
    return __atomic_fetch_add(at(place), addend, __ATOMIC_SEQ_CST);
  }
  static Word fetchstore(void volatile* place, Word value) noexcept {
    return __atomic_exchange_n(at(place), value, __ATOMIC_SEQ_CST);
  }
};
using machine_pointer_word = machine_word<std::intptr_t>;

}  // namespace internal
}  // namespace tbb

// ---- words of N bytes
inline std::int8_t __TBB_machine_cmpswp1(void volatile* place, std::int8_t value, std::int8_t comparand) noexcept {
  return tbb::internal::machine_word<std::int8_t>::cmpswp(place, value, comparand);
}
inline std::int16_t __TBB_machine_cmpswp2(void volatile* place, std::int16_t value, std::int16_t comparand) noexcept {
  return tbb::internal::machine_word<std::int16_t>::cmpswp(place, value, comparand);
}
inline std::int32_t __TBB_machine_cmpswp4(void volatile* place, std::int32_t value, std::int32_t comparand) noexcept {
  return tbb::internal::machine_word<std::int32_t>::cmpswp(place, value, comparand);
}
inline std::int64_t __TBB_machine_cmpswp8(void volatile* place, std::int64_t value, std::int64_t comparand) noexcept {
  return tbb::internal::machine_word<std::int64_t>::cmpswp(place, value, comparand);
}
inline std::int8_t __TBB_machine_fetchadd1(void volatile* place, std::int8_t addend) noexcept {
  return tbb::internal::machine_word<std::int8_t>::fetchadd(place, addend);
}
inline std::int16_t __TBB_machine_fetchadd2(void volatile* place, std::int16_t addend) noexcept {
  return tbb::internal::machine_word<std::int16_t>::fetchadd(place, addend);
}
inline std::int32_t __TBB_machine_fetchadd4(void volatile* place, std::int32_t addend) noexcept {
  return tbb::internal::machine_word<std::int32_t>::fetchadd(place, addend);
}
inline std::int64_t __TBB_machine_fetchadd8(void volatile* place, std::int64_t addend) noexcept {
  return tbb::internal::machine_word<std::int64_t>::fetchadd(place, addend);
}
inline std::int8_t __TBB_machine_fetchstore1(void volatile* place, std::int8_t value) noexcept {
  return tbb::internal::machine_word<std::int8_t>::fetchstore(place, value);
}
inline std::int16_t __TBB_machine_fetchstore2(void volatile* place, std::int16_t value) noexcept {
  return tbb::internal::machine_word<std::int16_t>::fetchstore(place, value);
}
inline std::int32_t __TBB_machine_fetchstore4(void volatile* place, std::int32_t value) noexcept {
  return tbb::internal::machine_word<std::int32_t>::fetchstore(place, value);
}
inline std::int64_t __TBB_machine_fetchstore8(void volatile* place, std::int64_t value) noexcept {
  return tbb::internal::machine_word<std::int64_t>::fetchstore(place, value);
}

// ---- words of a pointer's size
inline std::intptr_t __TBB_CompareAndSwapW(void volatile* place, std::intptr_t value,
                                           std::intptr_t comparand) noexcept {
  return tbb::internal::machine_pointer_word::cmpswp(place, value, comparand);
}
inline std::intptr_t __TBB_FetchAndAddW(void volatile* place, std::intptr_t addend) noexcept {
  return tbb::internal::machine_pointer_word::fetchadd(place, addend);
}
inline std::intptr_t __TBB_FetchAndStoreW(void volatile* place, std::intptr_t value) noexcept {
  return tbb::internal::machine_pointer_word::fetchstore(place, value);
}
inline std::intptr_t __TBB_FetchAndIncrementWacquire(void volatile* place) noexcept {
  return __TBB_FetchAndAddW(place, 1);
}
inline std::intptr_t __TBB_FetchAndDecrementWrelease(void volatile* place) noexcept {
  return __TBB_FetchAndAddW(place, -1);
}
inline void __TBB_AtomicOR(void volatile* place, std::uintptr_t bits) noexcept {
  __atomic_fetch_or(tbb::internal::machine_word<std::uintptr_t>::at(place), bits, __ATOMIC_SEQ_CST);
}
inline void __TBB_AtomicAND(void volatile* place, std::uintptr_t bits) noexcept {
  __atomic_fetch_and(tbb::internal::machine_word<std::uintptr_t>::at(place), bits, __ATOMIC_SEQ_CST);
}
/// The position of the highest bit that is set; x is not 0.
inline std::intptr_t __TBB_Log2(std::uintptr_t x) noexcept { return 63 - __builtin_clzll(x); }

// ---- loads and stores
template <typename T>
T __TBB_load_with_acquire(T const volatile& place) noexcept {
  return __atomic_load_n(&place, __ATOMIC_ACQUIRE);
}
template <typename T, typename V>
void __TBB_store_with_release(T volatile& place, V value) noexcept {
  __atomic_store_n(&place, static_cast<T>(value), __ATOMIC_RELEASE);
}
template <typename T>
T __TBB_load_relaxed(T const volatile& place) noexcept {
  return __atomic_load_n(&place, __ATOMIC_RELAXED);
}
template <typename T, typename V>
void __TBB_store_relaxed(T volatile& place, V value) noexcept {
  __atomic_store_n(&place, static_cast<T>(value), __ATOMIC_RELAXED);
}

// ---- a lock of one byte; 0 is free
using __TBB_Flag = unsigned char;
using __TBB_atomic_flag = unsigned char;
inline bool __TBB_TryLockByte(__TBB_atomic_flag volatile& flag) noexcept {
  return __atomic_exchange_n(&flag, __TBB_Flag(1), __ATOMIC_ACQUIRE) == 0;
}
inline __TBB_Flag __TBB_LockByte(__TBB_atomic_flag volatile& flag) noexcept {
  for (::ashlar::sync::backoff b; !__TBB_TryLockByte(flag);) b.pause();
  return 0;
}
inline void __TBB_UnlockByte(__TBB_atomic_flag volatile& flag) noexcept {
  __atomic_store_n(&flag, __TBB_Flag(0), __ATOMIC_RELEASE);
}

namespace tbb {

/// A full fence: std::atomic_thread_fence(std::memory_order_seq_cst).
inline void atomic_fence() noexcept { __TBB_full_memory_fence(); }

namespace internal {

using ::tbb::atomic_fence;

/// Pauses that grow, then yields. One object per wait.
class atomic_backoff {
 public:
  void pause() noexcept { backoff_.pause(); }
  /// As pause(), but false, at once, where it would yield.
  bool bounded_pause() noexcept { return backoff_.pause_unless_yield(); }
  void reset() noexcept { backoff_.reset(); }

 private:
  ::ashlar::sync::backoff backoff_;
};

/// A plain word is read with acquire; tbb::atomic and std::atomic see to that themselves.
template <typename T, typename U>
bool holds(T const volatile& place, U value) noexcept {
  if constexpr (std::is_class_v<T>) {
    return place == value;
  } else {
    return __TBB_load_with_acquire(place) == value;
  }
}
/// Wait, with acquire, until another thread makes the condition false, or true.
template <typename T, typename U>
void spin_wait_while_eq(T const volatile& place, U value) noexcept {
  for (atomic_backoff b; holds(place, value);) b.pause();
}
template <typename T, typename U>
void spin_wait_until_eq(T const volatile& place, U value) noexcept {
  for (atomic_backoff b; !holds(place, value);) b.pause();
}

}  // namespace internal
}  // namespace tbb

#include <tbb/detail/closure/stddef.h>
