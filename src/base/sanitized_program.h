// SPDX-License-Identifier: Apache-2.0
// The library's own side of ashlar/base/tsan.h: a library that is not compiled with ThreadSanitizer in a program that
// is. Only slow paths ask; statistics.cpp sees to it that every task takes one (attention_observe).
#pragma once

#include <ashlar/base/config.h>

#if !ASHLAR_TSAN && !defined(ASHLAR_MODEL)
extern "C" {
__attribute__((weak)) void __tsan_acquire(void* address);  // NOLINT: the sanitizer's names
__attribute__((weak)) void __tsan_release(void* address);  // NOLINT
}
#endif

namespace ashlar {
inline namespace v1 {
namespace tsan {

#if !ASHLAR_TSAN && !defined(ASHLAR_MODEL)
inline bool watches_program() noexcept { return __tsan_acquire != nullptr; }
inline void acquire_there(void const* p) noexcept {
  if (ASHLAR_UNLIKELY(watches_program())) __tsan_acquire(const_cast<void*>(p));
}
inline void release_there(void const* p) noexcept {
  if (ASHLAR_UNLIKELY(watches_program())) __tsan_release(const_cast<void*>(p));
}
#else
constexpr bool watches_program() noexcept { return false; }
inline void acquire_there(void const*) noexcept {}
inline void release_there(void const*) noexcept {}
#endif

}  // namespace tsan
}  // namespace v1
}  // namespace ashlar
