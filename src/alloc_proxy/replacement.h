// SPDX-License-Identifier: Apache-2.0
// What the two halves of the malloc replacement share with libtbbmalloc.
#pragma once

#include <ashlar/alloc/scalable_malloc.h>

#include <cstddef>

// The exception support of libstdc++ is referred to weakly, so that preloading does not bring it into C programs:
// where it is not loaded, nobody can throw.
__asm__(".weak __gxx_personality_v0\n.weak __cxa_begin_catch\n.weak __cxa_end_catch\n");

extern "C" {

// Operator new: as scalable_malloc, but calls the new handler and throws std::bad_alloc.
void* ashlar_malloc_new(std::size_t size);
void* ashlar_malloc_new_aligned(std::size_t size, std::size_t alignment);

struct ashlar_malloc_foreign {
  void (*free)(void*);
  void* (*realloc)(void*, std::size_t);
  std::size_t (*usable_size)(void*);
};
void __TBB_malloc_safer_free(void* p, void (*original)(void*));
void* __TBB_malloc_safer_realloc(void* p, std::size_t size, void* original);
void ashlar_malloc_set_foreign(ashlar_malloc_foreign const* handlers) noexcept;
[[noreturn]] void ashlar_malloc_fatal(char const* what, void const* p) noexcept;

}  // extern "C"
