// SPDX-License-Identifier: Apache-2.0
// Operator new and delete in all forms, on the scalable allocator.
#include "alloc_proxy/replacement.h"

#include <ashlar/base/config.h>

#include <new>

extern "C" void* __cxa_begin_catch(void*) noexcept;

namespace {

template <typename Allocate>
void* or_null(Allocate allocate) noexcept {
#if ASHLAR_EXCEPTIONS
  // Through a volatile, because the compiler takes it for granted that a function has an address.
  void* (*volatile support)(void*) = __cxa_begin_catch;
  if (!support) {
    return nullptr;
  }
  try {
    return allocate();
  } catch (...) {
    return nullptr;
  }
#else
  return allocate();
#endif
}

// The handler may throw, so the forms that must not are built on those that may; without memory only.
void* new_or_null(std::size_t size) noexcept {
  void* const p = scalable_malloc(size);
  return p != nullptr ? p : or_null([=] { return ashlar_malloc_new(size); });
}
void* new_aligned_or_null(std::size_t size, std::align_val_t a) noexcept {
  std::size_t const alignment = static_cast<std::size_t>(a);
  void* const p = scalable_aligned_malloc(size ? size : 1, alignment);
  return p != nullptr ? p : or_null([=] { return ashlar_malloc_new_aligned(size, alignment); });
}

}  // namespace

ASHLAR_EXPORT void* operator new(std::size_t size) { return ashlar_malloc_new(size); }
ASHLAR_EXPORT void* operator new[](std::size_t size) { return ashlar_malloc_new(size); }
ASHLAR_EXPORT void* operator new(std::size_t size, std::nothrow_t const&) noexcept { return new_or_null(size); }
ASHLAR_EXPORT void* operator new[](std::size_t size, std::nothrow_t const&) noexcept { return new_or_null(size); }
ASHLAR_EXPORT void* operator new(std::size_t size, std::align_val_t a) {
  return ashlar_malloc_new_aligned(size, static_cast<std::size_t>(a));
}
ASHLAR_EXPORT void* operator new[](std::size_t size, std::align_val_t a) {
  return ashlar_malloc_new_aligned(size, static_cast<std::size_t>(a));
}
ASHLAR_EXPORT void* operator new(std::size_t size, std::align_val_t a, std::nothrow_t const&) noexcept {
  return new_aligned_or_null(size, a);
}
ASHLAR_EXPORT void* operator new[](std::size_t size, std::align_val_t a, std::nothrow_t const&) noexcept {
  return new_aligned_or_null(size, a);
}

ASHLAR_EXPORT void operator delete(void* p) noexcept { scalable_free(p); }
ASHLAR_EXPORT void operator delete[](void* p) noexcept { scalable_free(p); }
ASHLAR_EXPORT void operator delete(void* p, std::nothrow_t const&) noexcept { scalable_free(p); }
ASHLAR_EXPORT void operator delete[](void* p, std::nothrow_t const&) noexcept { scalable_free(p); }
ASHLAR_EXPORT void operator delete(void* p, std::size_t) noexcept { scalable_free(p); }
ASHLAR_EXPORT void operator delete[](void* p, std::size_t) noexcept { scalable_free(p); }
ASHLAR_EXPORT void operator delete(void* p, std::align_val_t) noexcept { scalable_free(p); }
ASHLAR_EXPORT void operator delete[](void* p, std::align_val_t) noexcept { scalable_free(p); }
ASHLAR_EXPORT void operator delete(void* p, std::align_val_t, std::nothrow_t const&) noexcept { scalable_free(p); }
ASHLAR_EXPORT void operator delete[](void* p, std::align_val_t, std::nothrow_t const&) noexcept { scalable_free(p); }
ASHLAR_EXPORT void operator delete(void* p, std::size_t, std::align_val_t) noexcept { scalable_free(p); }
ASHLAR_EXPORT void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { scalable_free(p); }
