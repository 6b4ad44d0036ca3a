// SPDX-License-Identifier: Apache-2.0
// The exported C functions: argument rules here, work in api.h.
#include "alloc/api.h"
#include "alloc/command.h"
#include "alloc/settings.h"

#include <ashlar/alloc/malloc_stats.h>
#include <ashlar/alloc/scalable_malloc.h>

#include <cerrno>

namespace {

using namespace ashlar::alloc;
namespace mo = ashlar::mo;

constexpr bool power_of_two(std::size_t n) { return n && !(n & (n - 1)); }

void* invalid() {
  errno = EINVAL;
  return nullptr;
}

}  // namespace

extern "C" {

ASHLAR_EXPORT ASHLAR_LINE_ALIGNED void* scalable_malloc(std::size_t size) { return allocate(size); }

ASHLAR_EXPORT void ashlar_malloc_settle(void) { settle_thread(); }

ASHLAR_EXPORT ASHLAR_LINE_ALIGNED void scalable_free(void* p) { deallocate(p); }

ASHLAR_EXPORT void* scalable_calloc(std::size_t count, std::size_t size) { return allocate_zeroed(count, size); }

ASHLAR_EXPORT void* scalable_realloc(void* p, std::size_t size) {
  if (p == nullptr) {
    return allocate(size);
  }
  if (!size) {
    deallocate(p);
    return nullptr;
  }
  return reallocate(p, size, granule);
}

ASHLAR_EXPORT int scalable_posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  if (!power_of_two(alignment) || alignment % sizeof(void*)) {
    return EINVAL;
  }
  int const saved = errno;
  void* const p = allocate_aligned(alignment, size);
  errno = saved;
  if (p == nullptr) {
    return ENOMEM;
  }
  *result = p;
  return 0;
}

ASHLAR_EXPORT void* scalable_aligned_malloc(std::size_t size, std::size_t alignment) {
  return power_of_two(alignment) && size ? allocate_aligned(alignment, size) : invalid();
}

ASHLAR_EXPORT void* scalable_aligned_realloc(void* p, std::size_t size, std::size_t alignment) {
  if (!power_of_two(alignment)) {
    return invalid();
  }
  if (p == nullptr) {
    return allocate_aligned(alignment, size);
  }
  if (!size) {
    deallocate(p);
    return nullptr;
  }
  return reallocate(p, size, alignment);
}

ASHLAR_EXPORT void scalable_aligned_free(void* p) { deallocate(p); }

ASHLAR_EXPORT std::size_t scalable_msize(void* p) {
  if (p == nullptr) {
    errno = EINVAL;
    return 0;
  }
  return usable_size(p);
}

ASHLAR_EXPORT int scalable_allocation_mode(int mode, std::intptr_t value) { return set_mode(mode, value); }

ASHLAR_EXPORT int scalable_allocation_command(int command, void* parameter) { return run_command(command, parameter); }

// The replacement of malloc passes pointers that it does not know, with what the original library would do about
// them; null means: nothing.

ASHLAR_EXPORT void __TBB_malloc_safer_free(void* p, void (*original)(void*)) {
  if (p == nullptr) {
    return;
  }
  if (map.find(p)) {
    deallocate(p);
  } else if (original != nullptr) {
    original(p);
  }
}

ASHLAR_EXPORT void* __TBB_malloc_safer_realloc(void* p, std::size_t size, void* original) {
  if (p == nullptr || map.find(p)) {
    return scalable_realloc(p, size);
  }
  auto* const f = reinterpret_cast<void* (*)(void*, std::size_t)>(original);
  return f != nullptr ? f(p, size) : nullptr;
}

ASHLAR_EXPORT void* __TBB_malloc_safer_aligned_realloc(void* p, std::size_t size, std::size_t alignment,
                                                       void* original) {
  if (!power_of_two(alignment)) {
    return invalid();
  }
  if (p == nullptr || map.find(p)) {
    return scalable_aligned_realloc(p, size, alignment);
  }
  // A foreign object keeps its alignment only by luck, so it is resized where it is and moved if need be.
  auto* const f = reinterpret_cast<void* (*)(void*, std::size_t)>(original);
  return f != nullptr ? f(p, size) : nullptr;
}

ASHLAR_EXPORT std::size_t __TBB_malloc_safer_msize(void* p, std::size_t (*original)(void*)) {
  if (p == nullptr) {
    return 0;
  }
  return map.find(p) ? usable_size(p) : original ? original(p) : 0;
}

ASHLAR_EXPORT std::size_t __TBB_malloc_safer_aligned_msize(void* p, std::size_t alignment, std::size_t offset,
                                                           std::size_t (*original)(void*, std::size_t, std::size_t)) {
  if (p == nullptr) {
    return 0;
  }
  return map.find(p) ? usable_size(p) : original ? original(p, alignment, offset) : 0;
}

ASHLAR_EXPORT void ashlar_malloc_set_foreign(foreign_handlers const* handlers) { set_foreign_handlers(handlers); }

ASHLAR_EXPORT void ashlar_malloc_fatal(char const* what, void const* p) { fatal(what, p); }

}  // extern "C"
