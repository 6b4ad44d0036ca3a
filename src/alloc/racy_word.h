// SPDX-License-Identifier: Apache-2.0
// A word that free reads from whatever page descriptor the address leads to. For a pointer that is rightly freed the
// read is ordered after the write by the way the pointer took; for any other pointer it may race with the
// descriptor's reuse, and then only decides that the exact, slow path is taken. One aligned word is read in one
// piece, so it is an ordinary load, which the compiler may fold into its use, where an atomic one costs a register and
// an instruction. Under ThreadSanitizer it is a relaxed atomic.
#pragma once

#include <ashlar/base/config.h>

namespace ashlar {
inline namespace v1 {
namespace alloc {

template <typename T>
class racy_word {
 public:
  constexpr racy_word() noexcept : value_{} {}
  racy_word(racy_word const&) = delete;
  racy_word& operator=(racy_word const&) = delete;

  ASHLAR_ALWAYS_INLINE T get() const noexcept {
#if ASHLAR_TSAN
    return __atomic_load_n(&value_, __ATOMIC_RELAXED);
#else
    return value_;
#endif
  }
  // Stores stay atomic, so that no compiler splits or invents one.
  ASHLAR_ALWAYS_INLINE void set(T v) noexcept { __atomic_store_n(&value_, v, __ATOMIC_RELAXED); }
  // By the one thread that writes.
  ASHLAR_ALWAYS_INLINE void add(T v) noexcept {
#if ASHLAR_TSAN
    set(get() + v);
#else
    value_ += v;
#endif
  }

 private:
  T value_;
};

// What another thread may be writing just now, read in one piece: as it was or as it is.
template <typename T>
T racy_read(T const& from) noexcept {
  T value;
  __atomic_load(&from, &value, __ATOMIC_RELAXED);
  return value;
}

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar
