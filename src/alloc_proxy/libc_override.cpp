// SPDX-License-Identifier: Apache-2.0
// The C library's allocation functions, replaced by the scalable allocator in the whole process: preload
// libtbbmalloc_proxy or link with it. Pointers that were not allocated here go to the next definition of the function,
// which is the C library's own.
//
// Nothing here needs libstdc++, so that preloading does not bring it into C programs.
#include "alloc_proxy/replacement.h"

#include "os/pages.h"

#include <ashlar/base/config.h>

#include <ashlar/alloc/malloc_stats.h>

#include <dlfcn.h>
#include <malloc.h>
#include <unistd.h>

#include <cerrno>

namespace {

constexpr bool power_of_two(std::size_t n) { return n && !(n & (n - 1)); }

template <typename Function>
Function next_definition(char const* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// A pointer that is not ours can only be the C library's if that one has any memory at all. Only glibc tells.
bool libc_has_memory() {
#ifdef __GLIBC__
  auto* const info = next_definition<struct mallinfo2 (*)()>("mallinfo2");
  if (info != nullptr) {
    struct mallinfo2 const m = info();
    return m.arena || m.hblkhd;
  }
#endif
  return true;
}

void foreign_free(void* p) {
  if (!libc_has_memory()) {
    ashlar_malloc_fatal("free(): not allocated by anybody:", p);
  }
  if (auto* const f = next_definition<void (*)(void*)>("free")) {
    f(p);
  }
}

void* foreign_realloc(void* p, std::size_t size) {
  if (!libc_has_memory()) {
    ashlar_malloc_fatal("realloc(): not allocated by anybody:", p);
  }
  auto* const f = next_definition<void* (*)(void*, std::size_t)>("realloc");
  return f != nullptr ? f(p, size) : nullptr;
}

std::size_t foreign_usable_size(void* p) {
  auto* const f = next_definition<std::size_t (*)(void*)>("malloc_usable_size");
  return f != nullptr ? f(p) : 0;
}

// What the names of the C library itself stand for. A library with its own `free` may come before the C library and
// forward to __libc_free, so the next `free` is not the answer to that.
void foreign_libc_free(void* p) {
  if (!libc_has_memory()) {
    ashlar_malloc_fatal("free(): not allocated by anybody:", p);
  }
  auto* const f = next_definition<void (*)(void*)>("__libc_free");
  f ? f(p) : foreign_free(p);
}

void* foreign_libc_realloc(void* p, std::size_t size) {
  if (!libc_has_memory()) {
    ashlar_malloc_fatal("realloc(): not allocated by anybody:", p);
  }
  auto* const f = next_definition<void* (*)(void*, std::size_t)>("__libc_realloc");
  return f != nullptr ? f(p, size) : foreign_realloc(p, size);
}

constexpr ashlar_malloc_foreign handlers{foreign_free, foreign_realloc, foreign_usable_size};

__attribute__((constructor)) void install() { ashlar_malloc_set_foreign(&handlers); }

void* no_memory() {
  errno = ENOMEM;
  return nullptr;
}

}  // namespace

extern "C" {

ASHLAR_EXPORT void* malloc(std::size_t size) noexcept { return scalable_malloc(size); }
ASHLAR_EXPORT void free(void* p) noexcept { scalable_free(p); }
ASHLAR_EXPORT void* calloc(std::size_t count, std::size_t size) noexcept { return scalable_calloc(count, size); }
ASHLAR_EXPORT void* realloc(void* p, std::size_t size) noexcept { return scalable_realloc(p, size); }

ASHLAR_EXPORT int posix_memalign(void** result, std::size_t alignment, std::size_t size) noexcept {
  return scalable_posix_memalign(result, alignment, size);
}
ASHLAR_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return scalable_aligned_malloc(size ? size : 1, alignment);
}
// Any alignment is rounded up to a power of two, as the C library does.
ASHLAR_EXPORT void* memalign(std::size_t alignment, std::size_t size) noexcept {
  if (!power_of_two(alignment)) {
    if (alignment > ~std::size_t{0} / 2 + 1) {
      errno = EINVAL;
      return nullptr;
    }
    alignment = alignment ? std::size_t{1} << (64 - __builtin_clzll(alignment)) : 1;
  }
  return scalable_aligned_malloc(size ? size : 1, alignment);
}
ASHLAR_EXPORT void* valloc(std::size_t size) noexcept {
  return scalable_aligned_malloc(size ? size : 1, ashlar::os::page_size());
}
ASHLAR_EXPORT void* pvalloc(std::size_t size) noexcept {
  std::size_t const page = ashlar::os::page_size();
  std::size_t const rounded = (size + page - 1) & ~(page - 1);
  if (rounded < size) {
    return no_memory();
  }
  return scalable_aligned_malloc(rounded ? rounded : page, page);
}

ASHLAR_EXPORT std::size_t malloc_usable_size(void* p) noexcept {
  if (p == nullptr) {
    return 0;
  }
  std::size_t const n = scalable_msize(p);
  return n ? n : foreign_usable_size(p);
}

// Nothing can be set, which mallopt reports as success so that programs which tune the C library go on.
ASHLAR_EXPORT int mallopt(int, int) noexcept { return 1; }
ASHLAR_EXPORT int malloc_trim(std::size_t) noexcept {
  return scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS, nullptr) == TBBMALLOC_OK;
}
ASHLAR_EXPORT void malloc_stats() noexcept { ashlar_malloc_print_stats(); }

#ifdef __GLIBC__
ASHLAR_EXPORT struct mallinfo2 mallinfo2() noexcept {
  ashlar_malloc_stats s;
  ashlar_malloc_get_stats(&s);
  struct mallinfo2 m = {};
  m.arena = s.mapped;
  m.uordblks = s.used;
  m.fordblks = s.mapped - s.used;
  m.keepcost = s.free_dirty;
  return m;
}
ASHLAR_EXPORT struct mallinfo mallinfo() noexcept {
  struct mallinfo2 const wide = mallinfo2();
  struct mallinfo m = {};
  m.arena = static_cast<int>(wide.arena);
  m.uordblks = static_cast<int>(wide.uordblks);
  m.fordblks = static_cast<int>(wide.fordblks);
  m.keepcost = static_cast<int>(wide.keepcost);
  return m;
}
#endif

// The names under which some programs and old libraries reach past a replacement.
ASHLAR_EXPORT void* __libc_malloc(std::size_t size) noexcept { return scalable_malloc(size); }
ASHLAR_EXPORT void __libc_free(void* p) noexcept { __TBB_malloc_safer_free(p, foreign_libc_free); }
ASHLAR_EXPORT void* __libc_calloc(std::size_t count, std::size_t size) noexcept { return scalable_calloc(count, size); }
ASHLAR_EXPORT void* __libc_realloc(void* p, std::size_t size) noexcept {
  return __TBB_malloc_safer_realloc(p, size, reinterpret_cast<void*>(foreign_libc_realloc));
}
ASHLAR_EXPORT void* __libc_memalign(std::size_t alignment, std::size_t size) noexcept {
  return memalign(alignment, size);
}
ASHLAR_EXPORT void* __libc_valloc(std::size_t size) noexcept { return valloc(size); }
ASHLAR_EXPORT void* __libc_pvalloc(std::size_t size) noexcept { return pvalloc(size); }

// What tbb/tbbmalloc_proxy.h refers to, so that the linker keeps the library.
ASHLAR_EXPORT void __TBB_malloc_proxy() noexcept {}
// On this platform every function is replaced or the program does not start: there is nothing to list.
ASHLAR_EXPORT int TBB_malloc_replacement_log(char*** log) noexcept {
  static char* nothing[] = {nullptr};
  if (log != nullptr) {
    *log = nothing;
  }
  return 0;
}

}  // extern "C"
