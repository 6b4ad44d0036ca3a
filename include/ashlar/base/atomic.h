// SPDX-License-Identifier: Apache-2.0
// The one atomic type of the project. Every access names its memory order (there is no default and no
// operator overload, so a sequentially consistent access can't slip in unseen), and a lock-free protocol
// written against it compiles unchanged in the model checker: tests/model/engine defines ASHLAR_MODEL
// and supplies ashlar::model::atomic and the fences.
//
// Costs on x86-64: load and store up to release are plain moves; every read-modify-write is one locked
// instruction.
#pragma once

#include <ashlar/base/config.h>

namespace ashlar {
inline namespace v1 {

// Memory orders, named briefly because every access spells one.
enum class order : int {
  relaxed = __ATOMIC_RELAXED,
  acquire = __ATOMIC_ACQUIRE,
  release = __ATOMIC_RELEASE,
  acq_rel = __ATOMIC_ACQ_REL,
  seq_cst = __ATOMIC_SEQ_CST
};

namespace mo {
inline constexpr order relaxed = order::relaxed;
inline constexpr order acquire = order::acquire;
inline constexpr order release = order::release;
inline constexpr order acq_rel = order::acq_rel;
inline constexpr order seq_cst = order::seq_cst;
}  // namespace mo

}  // namespace v1
}  // namespace ashlar

#ifdef ASHLAR_MODEL
#include <engine/atomic.h>
#else

namespace ashlar {
inline namespace v1 {

// T is an integer, a pointer, a bool or an enumeration of at most 8 bytes. Trivial copy is deleted: an
// atomic is a place, not a value.
template <typename T>
class atomic {
 public:
  using value_type = T;

  constexpr atomic() noexcept : value_{} {}
  constexpr atomic(T v) noexcept : value_(v) {}  // NOLINT: implicit, as std::atomic
  atomic(atomic const&) = delete;
  atomic& operator=(atomic const&) = delete;

  ASHLAR_ALWAYS_INLINE T load(order o) const noexcept {
    // A volatile access is as atomic for a word of at most 8 bytes, and unlike the builtin it lets the compiler
    // address the member directly: several instructions less in the inlined fast paths.
    if (!ASHLAR_TSAN && o == mo::relaxed) return *const_cast<T const volatile*>(&value_);
    T v;
    __atomic_load(const_cast<T*>(&value_), &v, static_cast<int>(o));
    return v;
  }
  // For the only thread that ever writes the value: an ordinary read, which the compiler may keep in a register.
  ASHLAR_ALWAYS_INLINE T load_own() const noexcept { return value_; }
  ASHLAR_ALWAYS_INLINE void store(T v, order o) noexcept { __atomic_store(&value_, &v, static_cast<int>(o)); }
  ASHLAR_ALWAYS_INLINE T exchange(T v, order o) noexcept {
    T old;
    __atomic_exchange(&value_, &v, &old, static_cast<int>(o));
    return old;
  }
  // Strong compare-exchange: on failure `expected` receives the value found (read with `fail`).
  ASHLAR_ALWAYS_INLINE bool compare_exchange(T& expected, T desired, order success, order fail) noexcept {
    return __atomic_compare_exchange(&value_, &expected, &desired, false, static_cast<int>(success),
                                     static_cast<int>(fail));
  }
  // Arithmetic and bit operations return the old value, as std::atomic's do.
  ASHLAR_ALWAYS_INLINE T fetch_add(T v, order o) noexcept {
    return __atomic_fetch_add(&value_, v, static_cast<int>(o));
  }
  ASHLAR_ALWAYS_INLINE T fetch_sub(T v, order o) noexcept {
    return __atomic_fetch_sub(&value_, v, static_cast<int>(o));
  }
  ASHLAR_ALWAYS_INLINE T fetch_or(T v, order o) noexcept { return __atomic_fetch_or(&value_, v, static_cast<int>(o)); }
  ASHLAR_ALWAYS_INLINE T fetch_and(T v, order o) noexcept {
    return __atomic_fetch_and(&value_, v, static_cast<int>(o));
  }
  // For a 64-bit word whose lower half nobody else writes now, while others add to the upper half: zeroes the lower
  // half. A plain store on x86-64, which keeps accesses of different sizes to a word in one order.
  ASHLAR_ALWAYS_INLINE void clear_lower_half(order o) noexcept {
    static_assert(sizeof(T) == 8, "a word of 64 bits");
#if defined(__x86_64__) && !ASHLAR_TSAN
    using half __attribute__((may_alias)) = unsigned;
    __atomic_store_n(reinterpret_cast<half*>(&value_), 0U, static_cast<int>(o));
#else
    fetch_and(~T{0} << 32, o);
#endif
  }
  // The address that a futex waits on.
  T* address() noexcept { return &value_; }

 private:
  T value_;
};

// A sequentially consistent fence. ThreadSanitizer does not model stand-alone fences, so under it the fence
// is a read-modify-write of one global word, which it does model.
#if ASHLAR_TSAN
inline atomic<int> tsan_fence_word{0};
ASHLAR_ALWAYS_INLINE void fence_seq_cst() noexcept { tsan_fence_word.fetch_add(0, mo::seq_cst); }
#elif defined(__x86_64__)
// A locked no-op on the stack is a full fence and cheaper than mfence, which clang would emit.
ASHLAR_ALWAYS_INLINE void fence_seq_cst() noexcept {
  __asm__ __volatile__("lock; orl $0,-8(%%rsp)" ::: "memory", "cc");
}
#else
ASHLAR_ALWAYS_INLINE void fence_seq_cst() noexcept { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
#endif

// The light half of an asymmetric fence pair: orders nothing but the compiler. Its partner is
// os::heavy_fence(), which makes every running thread of the process execute a full fence, so that the pair
// behaves as two sequentially consistent fences while the frequent side pays nothing.
ASHLAR_ALWAYS_INLINE void fence_light() noexcept {
#if ASHLAR_TSAN
  fence_seq_cst();
#else
  __asm__ __volatile__("" ::: "memory");
#endif
}

// Set once, before the library's first protocol begins: heavy_fence() reaches no other thread (an old kernel, a
// sandbox).
extern ASHLAR_EXPORT bool heavy_fence_missing;

// The same, a full fence where there is no heavy one. A frequent side that can learn of that in another way, as pushes
// do by attention_fence, uses fence_light().
ASHLAR_ALWAYS_INLINE void fence_asymmetric() noexcept {
  if (ASHLAR_UNLIKELY(heavy_fence_missing)) {
    fence_seq_cst();
  } else {
    fence_light();
  }
}

// One step of a spin loop: tells the core that another thread is waited for.
ASHLAR_ALWAYS_INLINE void cpu_pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("isb" ::: "memory");
#else
  __asm__ __volatile__("" ::: "memory");
#endif
}

}  // namespace v1
}  // namespace ashlar
#endif  // ASHLAR_MODEL
